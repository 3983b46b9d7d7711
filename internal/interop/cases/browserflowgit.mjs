// What people do with files and git on the page, checked with the git command.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { button, command, dialog, said, signedIn } from "../lib/acts.mjs"
import { equal, ok } from "../lib/check.mjs"
import { actor, repository } from "../lib/showcase.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("browser flow")

const go = "thumbs/thumbs.go"

/** A repository, and a mount of it at /mnt/gallery. */
async function mounted(t, who, more = {}) {
  const repo = repository(t.dir())
  const mount = await who.op("mount_add", { path: "/mnt/gallery", source: `git:${repo.dir}@ingest`, rw: true, ...more })
  return { repo, mount }
}

const row = (person, name) => person.tab.getByRole("treeitem", { name: new RegExp(`^${name}`) })
const git = person => person.tab.getByRole("region", { name: "Git" })

test("a repository is mounted, a file is edited by two, and the commit names both", { kj: true, own: true, ms: 120_000 }, async t => {
  const [a, c] = [await actor(t.server, "amy"), await actor(t.server, "claude", "agent", "editor")]
  await c.op("identity_set", { name: "Claude", email: "claude@example.org", model: "claude-fable-5" })
  const repo = repository(t.dir())
  const amy = await signedIn(t, a, "/git")

  await button(git(amy), "Mount a folder or repository").click()
  const mount = dialog(amy, "Mount")
  await mount.getByLabel("Path").fill("/mnt/gallery")
  await mount.getByLabel("Source").fill("git:/nowhere/at/all")
  await button(mount, "Mount").click()
  await mount.getByRole("alert").waitFor()
  await mount.getByLabel("Source").fill(`git:${repo.dir}`)
  await mount.getByLabel("Branch").fill("ingest")
  await button(mount, "Mount").click()
  await mount.waitFor({ state: "hidden" })
  await git(amy).getByText("Nothing to commit").waitFor()

  await amy.tab.getByRole("tab", { name: "Files" }).click()
  await row(amy, "thumbs").click()
  await row(amy, "thumbs.go").click()
  const file = amy.tab.locator('[data-kind="file"]')
  await file.getByText("thumbs.go").first().waitFor()
  const id = await file.getAttribute("data-block")
  const { content, context } = await c.op("fs_read", { path: `/mnt/gallery/${go}` })

  // Amy writes into one line while the agent writes into another.
  const at = content.indexOf("320}") + 3
  await amy.edit(id, at)
  await Promise.all([
    amy.tab.keyboard.type(", 1280", { delay: 20 }),
    c.op("block_splice", { context, block_id: id, offset: content.indexOf("func Make"), delete_count: 0, insert: "//\n// It never enlarges.\n" }),
  ])
  await amy.leave()
  const want = content.replace("320}", "320, 1280}").replace("func Make(", "//\n// It never enlarges.\nfunc Make(")
  await until(async () => (await c.op("fs_read", { path: `/mnt/gallery/${go}` })).content === want, "both edits in the file")
  await amy.lit("saved")

  // Who wrote each line.
  await button(file, "Who wrote each line").click()
  const writers = file.locator(".kj-blame")
  await until(async () => {
    const names = await writers.evaluateAll(list => list.map(el => el.textContent))
    return ["amy", "claude"].every(name => names.some(n => n.toLowerCase().includes(name)))
  }, async () => `the writers beside the lines; they are ${JSON.stringify(await writers.allInnerTexts())}`)

  // What changed, whom the commit would name, and the commit.
  await file.getByRole("link", { name: /mnt\/gallery/ }).click()
  await git(amy).getByRole("list", { name: "Changed files" }).getByRole("button", { name: /thumbs\.go/ }).click()
  await git(amy).locator("ins", { hasText: "It never enlarges." }).waitFor()
  await button(git(amy), "Say your name").click()
  const naming = dialog(amy, "Your name in commits")
  await naming.getByLabel("Full name").fill("Amy Winter")
  await naming.getByLabel("Email").fill("amy@example.org")
  await button(naming, "Save").click()
  await naming.waitFor({ state: "hidden" })
  await git(amy).getByLabel("Message", { exact: true }).fill("Large thumbnails\n\nThe viewer asks for them.")
  await button(git(amy), "Preview").click()
  const names = git(amy).getByRole("region", { name: "Attribution" })
  for (const words of ["Amy Winter <amy@example.org>", "Claude <claude@example.org>"]) await until(async () => (await names.innerText()).includes(words), async () => `${words} in the preview, which says ${await names.innerText()}`)
  await button(git(amy), "Commit 1 file").click()
  await git(amy).getByText(/^Committed/).waitFor()
  const commit = format => repo.git("log", "-1", `--format=${format}`, "ingest").trim()
  equal(commit("%an <%ae>"), "Claude <claude@example.org>", "the author: who wrote most")
  equal(commit("%(trailers:key=Co-authored-by,valueonly)"), "Amy Winter <amy@example.org>", "the co-author")
  equal(commit("%s"), "Large thumbnails", "the subject")
  equal(repo.git("show", `ingest:${go}`), want, "the file in the commit")
  ok(repo.git("notes", "--ref=ai", "show", "ingest").includes("claude"), "the note of the commit")
  await git(amy).getByText("Nothing to commit").waitFor()

  await amy.tab.getByRole("tab", { name: "Log" }).click()
  await git(amy).getByRole("button", { name: /^Large thumbnails/ }).click()
  await git(amy).getByText("Amy Winter <amy@example.org>").waitFor()
  await git(amy).locator("ins", { hasText: "1280" }).waitFor()

  // The block that tells of it.
  const { url } = await a.op("context_get", { context })
  await amy.go(url)
  const card = amy.tab.locator('[data-kind="drift"] .content')
  await card.getByText("Large thumbnails").waitFor()
  ok(/Author: Claude/.test(await card.innerText()), `the commit's block says ${await card.innerText()}`)
  amy.satisfied()
})

test("a conflict of block and disk is shown, and settled on the page", { kj: true, own: true, ms: 90_000 }, async t => {
  const a = await actor(t.server, "amy")
  const { mount } = await mounted(t, a)
  const path = "/mnt/gallery/README.md"
  const { content, context, block_id: id } = await a.op("fs_read", { path })
  const disk = join(mount.dir, "README.md")
  const amy = await signedIn(t, a, "/git/mnt/gallery")
  await git(amy).getByText("Nothing to commit").waitFor()
  // Both sides change one line before either hears of the other.
  for (let n = 0; ; n++) {
    writeFileSync(disk, content.replace("Shows pictures", `The disk says ${n}`))
    await a.op("block_splice", { context, block_id: id, offset: content.indexOf("Shows"), delete_count: 0, insert: `Block ${n}: ` })
    const { files } = await a.op("git_status", { mount: "/mnt/gallery" })
    if (files.some(f => f.conflict)) break
    if (n > 20) throw new Error("no conflict comes of it")
    await a.op("block_replace", { context, block_id: id, content })
    await until(() => readFileSync(disk, "utf8") === content, "the disk to follow")
  }
  const file = git(amy).getByRole("list", { name: "Changed files" }).getByRole("button", { name: /README/ })
  await file.getByText("conflict").waitFor()
  await file.click()
  await until(async () => (await git(amy).locator("del").allInnerTexts()).some(s => s.includes("The disk says")) && (await git(amy).locator("ins").allInnerTexts()).some(s => s.includes("Block ")), "both sides")
  equal(await git(amy).getByRole("checkbox", { name: "Commit README.md" }).isDisabled(), true, "whether it can be committed")
  await button(git(amy), "Take the disk").click()
  await said(amy, "README.md: what the disk says counts")
  await git(amy).locator("ins", { hasText: "The disk says" }).waitFor()
  ok((await a.op("fs_read", { path })).content.includes("The disk says"), "the block follows the disk")
  amy.satisfied()
})

test("branches, search in files, settings and removal of a mount", { kj: true, own: true, ms: 90_000 }, async t => {
  const a = await actor(t.server, "amy")
  const { repo } = await mounted(t, a)
  const mount = async () => (await a.op("mount_list", {})).mounts.find(m => m.path === "/mnt/gallery")
  const amy = await signedIn(t, a, "/git/mnt/gallery")
  await git(amy).getByText("Nothing to commit").waitFor()

  await button(git(amy), "ingest").click()
  await amy.tab.getByRole("menuitem", { name: "New branch…" }).click()
  await dialog(amy, "New branch").getByLabel("Name").fill("webp")
  await button(dialog(amy, "New branch"), "Create").click()
  await button(git(amy), "webp").waitFor()
  await dialog(amy, "New branch").waitFor({ state: "hidden" })
  await button(git(amy), "webp").click()
  await amy.tab.getByRole("menuitemcheckbox", { name: "ingest" }).click()
  await button(dialog(amy, "Switch to ingest?"), "Switch").click()
  await button(git(amy), "ingest").waitFor()
  equal((await mount()).branch, "ingest", "the branch of the mount")
  ok(repo.git("branch", "--list", "webp").includes("webp"), "the new branch in the repository")

  await amy.tab.getByRole("tab", { name: "Files" }).click()
  await button(git(amy), "Search in files").click()
  const search = dialog(amy, "Search in /mnt/gallery")
  await search.getByLabel("Lines with").fill("longer edge")
  await search.getByRole("status").getByText("1 line in 1 file").waitFor()
  await search.getByRole("button", { name: /thumbs\.go/ }).click()
  await amy.tab.locator('[data-kind="file"]').getByText("longer edge").waitFor()

  await amy.go("/git/mnt/gallery")
  await button(git(amy), "More").click()
  await amy.tab.getByRole("menuitem", { name: "Settings…" }).click()
  const settings = dialog(amy, "Settings of /mnt/gallery")
  await settings.getByLabel("Author of commits").selectOption("caller")
  await settings.getByLabel("Whom trailers name").selectOption("people")
  await settings.getByLabel(/A note with each commit/).uncheck()
  await button(settings, "Save").click()
  await settings.waitFor({ state: "hidden" })
  const now = await mount()
  equal([now.author, now.trailers, now.notes], ["caller", "people", "off"], "the settings")
  await button(git(amy), "More").click()
  await amy.tab.getByRole("menuitem", { name: "Remove…" }).click()
  await dialog(amy, "Remove /mnt/gallery?").getByLabel("Take its worktree off the disk too").check()
  await button(dialog(amy, "Remove /mnt/gallery?"), "Remove").click()
  await git(amy).getByRole("list", { name: "Mounts" }).getByText("/mnt/gallery").waitFor({ state: "detached" })
  equal((await a.op("mount_list", {})).mounts.map(m => m.path), ["/scratch"], "what is mounted")
  amy.satisfied()
})
