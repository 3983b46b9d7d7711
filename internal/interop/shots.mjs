#!/usr/bin/env node
// Pictures of every view of the page, for the documentation and for people who
// change it:
//
//   node shots.mjs --kj PATH [--out ../../docs/img] [--only REGEX]
//
// Each view is taken wide in light and in dark, and narrow in light.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Person, closeBrowser } from "./lib/browser.mjs"
import { Server, kinds } from "./lib/server.mjs"
import { showcase } from "./lib/showcase.mjs"
import { until } from "./lib/wait.mjs"

const { values: flags } = parseArgs({ options: { kj: { type: "string" }, out: { type: "string", default: "../../docs/img" }, only: { type: "string", default: "" } } })
if (!flags.kj) {
  console.error("usage: shots.mjs --kj PATH [--out DIR] [--only REGEX]")
  process.exit(2)
}
const log = console.log
console.log = () => {} // the repo logs what it catches
mkdirSync(flags.out, { recursive: true })
const tmp = mkdtempSync(join(tmpdir(), "kj-shots-"))
const undo = []
const t = { onClose: fn => undo.push(fn) }
const server = await new Server(kinds.kj(flags.kj), tmp).start()
const made = await showcase(server, mkdtempSync(join(tmp, "repo-")))
const { gallery, plan, webp } = { ...made.contexts, plan: made.blocks.plan }
const files = (await made.amy.op("context_get", { context: made.mount.context })).url ?? (await made.amy.op("context_list")).contexts.find(c => c.id === made.mount.context)?.url

/** Somebody who looks at the gallery and has a caret in its plan. */
const ben = await Person.at(t)
const amy = await Person.at(t, { viewport: { width: 1280, height: 860 } })
for (const person of [ben, amy]) {
  await person.tab.goto(`${server.http}/?token=${(person === amy ? made.amy : made.ben).token}`)
  await person.open(server.http, gallery.url)
}
const { tab } = amy
tab.setDefaultTimeout(15_000)
await ben.block(plan).scrollIntoViewIfNeeded()

const go = async (address, ready) => {
  await tab.evaluate(address => (location.hash = address), address)
  await ready.waitFor()
}
const heading = name => tab.getByRole("heading", { name }).first()
const top = () => tab.locator("section.context").evaluate(el => (el.scrollTop = 0))
const context = async () => {
  await go(`#${gallery.url}`, tab.locator("section.context"))
  await until(async () => (await amy.ids()).length > 4, "the blocks")
}
const press = async (keys, ready) => {
  await tab.locator("main").click({ position: { x: 5, y: 300 } })
  await tab.keyboard.press(keys)
  await ready.waitFor()
}

/** Each view: how to get there, and how to leave what lies over the page. */
const views = {
  page: async () => (await context(), await top()),
  drift: async () => (await context(), await amy.block(made.blocks.drift).scrollIntoViewIfNeeded()),
  editing: async () => {
    await context()
    await amy.block(plan).scrollIntoViewIfNeeded()
    await amy.edit(plan, "start")
    await ben.edit(plan)
    for (const key of ["ArrowUp", "ArrowUp", "End", "Shift+Control+ArrowLeft", "Shift+Control+ArrowLeft"]) await ben.tab.keyboard.press(key)
    await tab.locator(".cm-content").getByText("WebP or AVIF").waitFor()
    return () => Promise.all([amy.leave(), ben.leave()])
  },
  palette: async () => {
    await context()
    await press("Control+k", tab.getByRole("dialog", { name: "Command palette" }))
    return () => tab.keyboard.press("Escape")
  },
  citation: async () => {
    await go(`#/cite/${encodeURI(made.cited.handle).replaceAll("#", "%23")}`, tab.getByRole("dialog", { name: "Citation" }))
    await tab.getByRole("dialog", { name: "Citation" }).getByText("p95").first().waitFor()
    return () => tab.keyboard.press("Escape")
  },
  history: async () => {
    await go(`#/history/${gallery.url}`, tab.getByRole("slider").first())
    await tab.getByRole("slider").first().focus()
    for (let n = 0; n < 5; n++) await tab.keyboard.press("ArrowLeft")
    await tab.locator("main").getByText("Write down what happens").first().waitFor()
  },
  blame: async () => {
    await context()
    await press("b", tab.getByText("claude").first())
    await top()
    return () => tab.keyboard.press("b")
  },
  graph: () => go("#/graph", tab.getByText("Sprint planning").last()),
  inbox: () => go("#/inbox", heading("Inbox")),
  queue: () => go("#/queue", heading("Queue")),
  git: async () => {
    await go("#/git/mnt/gallery", tab.getByText("thumbs.go").first())
    await tab.getByRole("textbox", { name: "Message" }).fill("Make thumbnails when pictures come in")
    await tab.getByRole("button", { name: "Preview" }).click()
    await tab.locator("main").getByText("Ben Okafor").first().waitFor()
  },
  file: async () => {
    await go(`#${files}`, tab.locator("section.context"))
    await tab.getByText("package thumbs").first().waitFor()
  },
  requests: () => go("#/requests", tab.getByText("Which format should").first()),
  status: () => go("#/status", tab.locator("main").getByText("Storage").first()),
}

/** Lets what is under way arrive: no request is open, and two frames are painted. */
async function settled() {
  await tab.waitForLoadState("networkidle").catch(() => {})
  await tab.evaluate(() => document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))))
}

let failed = 0
const looks = [
  ["", { colorScheme: "light" }, { width: 1280, height: 860 }],
  ["-dark", { colorScheme: "dark" }, { width: 1280, height: 860 }],
  ["-narrow", { colorScheme: "light" }, { width: 400, height: 800 }],
]
for (const [suffix, media, size] of looks) {
  await tab.emulateMedia(media)
  await tab.setViewportSize(size)
  for (const [name, show] of Object.entries(views)) {
    if (!new RegExp(flags.only).test(name + suffix)) continue
    try {
      const leave = await show()
      await settled()
      await tab.screenshot({ path: join(flags.out, `${name}${suffix}.png`), animations: "disabled", caret: "initial" })
      const wide = await tab.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      if (wide > 0) throw new Error(`it is ${wide} pixels too wide`)
      if (typeof leave === "function") await leave()
    } catch (err) {
      failed++
      log(`${name}${suffix}: ${err.message.split("\n").slice(0, 4).join(" ")}`, amy.complaints.splice(0, 3))
      await tab.keyboard.press("Escape").catch(() => {})
    }
  }
}
log(`${webp.label}, ${gallery.label}: done, ${failed} failed`, amy.complaints.slice(0, 3))
for (const fn of undo) await fn()
await closeBrowser()
await server.kill("SIGTERM")
rmSync(tmp, { recursive: true, force: true, maxRetries: 3 })
process.exit(failed ? 1 : 0)
