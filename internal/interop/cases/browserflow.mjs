// What people do on the page together with agents, from end to end.
import { button, command, dialog, said, signedIn } from "../lib/acts.mjs"
import { equal, ok } from "../lib/check.mjs"
import { McpAgent } from "../lib/mcp.mjs"
import { Server } from "../lib/server.mjs"
import { actor } from "../lib/showcase.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("browser flow")

const write = async (who, context, content, more = {}) => (await who.op("block_create", { context, content, ...more })).id

test("two people and an agent write into one context; one of them goes away and comes back", { kj: true, own: true, ms: 90_000 }, async t => {
  const [a, b, c] = [await actor(t.server, "amy"), await actor(t.server, "ben"), await actor(t.server, "claude", "agent", "editor")]
  const { url, id: context } = await a.op("context_create", { title: "Together" })
  const plan = await write(a, context, "The plan")
  const proxy = await t.proxy()
  const amy = await signedIn(t, a, url, proxy.http)
  const ben = await signedIn(t, b, url)
  const claude = await McpAgent.join(t.server, { ...c, context })

  const { id: answer } = await claude.call("block_create", { kind: "text", role: "model", form: "text", status: "running", content: "" })
  for (const person of [amy, ben]) await person.tab.locator('[data-seat="claude"][data-kind="agent"]').waitFor()
  let want = ""
  for (const piece of ["Reading ", "the trace, ", "line by line"]) {
    await claude.call("block_append", { block_id: answer, text: piece, flush: true })
    want += piece
    for (const person of [amy, ben]) await until(async () => (await person.shown(answer)).trim() === want.trim(), async () => `${want} while it streams; it is ${await person.shown(answer)}`)
  }
  equal(await amy.block(answer).getAttribute("data-status"), "running", "the status while it streams")
  await claude.call("block_status", { block_id: answer, status: "done" })
  const { id: call } = await claude.call("block_create", { kind: "tool_call", content: '{"command":"go test ./..."}', metadata: { tool_name: "shell", tool_call_id: "c1" } })
  const { id: result } = await claude.call("block_create", { kind: "tool_result", parent_id: call, content: "ok  gallery/thumbs  0.4s" })
  for (const person of [amy, ben]) {
    await until(async () => (await person.block(answer).getAttribute("data-status")) === "done", "the end of the stream")
    const line = person.block(call).getByRole("button", { name: /^shell/ })
    ok((await line.innerText()).includes("go test ./..."), "the call in one line")
    await line.click()
    await person.block(result).getByText("ok gallery/thumbs 0.4s").waitFor()
  }

  await amy.lit("saved")
  proxy.offline()
  await amy.lit("offline")
  await amy.edit(plan, "start")
  await amy.tab.keyboard.type("Offline: ")
  await amy.leave()
  await ben.edit(plan)
  await ben.tab.keyboard.type(", as ben says")
  await ben.leave()
  await claude.call("block_create", { content: "Written while amy was away", role: "model", form: "text" })
  await ben.tab.getByText("Written while amy was away").waitFor()
  proxy.online()
  await amy.lit("saved")
  for (const person of [amy, ben]) {
    await until(async () => (await person.shown(plan)) === "Offline: The plan, as ben says", async () => `the merged text; it is ${await person.shown(plan)}`)
    await person.tab.getByText("Written while amy was away").waitFor()
    person.satisfied()
  }
  await claude.leave()
  await amy.tab.locator('[data-seat="claude"]').waitFor({ state: "detached" })
})

test("what is pushed from the page is staged, read, taken back and delivered; pull and merge; the graph shows it", { kj: true, own: true, ms: 90_000 }, async t => {
  const [a, bea] = [await actor(t.server, "amy"), await actor(t.server, "bea", "agent", "editor")]
  const from = await a.op("context_create", { title: "Findings" })
  const to = await a.op("context_create", { title: "Release" })
  const id = await write(a, from.id, "First line.\n\nCold reads take 843 ms.\n\nWarm reads take 8 ms.")
  const amy = await signedIn(t, a, from.url)

  // A citation of what is selected.
  await amy.block(id).locator(".content p").nth(1).evaluate(el => getSelection().selectAllChildren(el))
  await command(amy, "Cite these lines")
  await said(amy, "A citation of line 3 is copied.")
  const handle = await amy.tab.evaluate(() => navigator.clipboard.readText())
  equal((await a.op("citation_resolve", { handle })).text, "Cold reads take 843 ms.\n", "what the copied handle cites")

  // Staged twice, one taken back.
  for (const words of ["Make them at ingest", "A mistake"]) {
    await amy.tab.locator("section.context").press("Escape")
    await command(amy, "Push ")
    const push = amy.tab.getByRole("dialog", { name: /^Push/ })
    await push.getByLabel("To", { exact: true }).fill("Rel")
    await push.getByRole("option", { name: /Release/ }).click()
    await push.getByLabel("Leave in the queue").check()
    await push.getByRole("textbox", { name: /What it says|Words before it/ }).fill(`${words}, see ${handle}`)
    await push.getByRole("region", { name: "Preview" }).getByText(words).waitFor()
    await button(push, "Put into the queue").click()
    await push.waitFor({ state: "hidden" })
  }
  await amy.tab.getByRole("navigation", { name: "Kernel" }).getByRole("link", { name: "Queue 2 waiting" }).click()
  const item = n => amy.tab.locator(`[data-item="${n}"]`)
  await item(1).getByRole("button", { name: /#1/ }).click()
  await item(1).locator(".cite").first().waitFor()
  await button(item(2), "Cancel").click()
  await button(dialog(amy, "Take #2 out of the queue?"), "Take it out").click()
  await item(2).waitFor({ state: "detached" })
  await button(amy.tab, "Deliver now").click()
  await amy.tab.getByText("Nothing is waiting").waitFor()

  // The inbox, and the block. One's own letters are read.
  await bea.op("drift_push", { context: from.id, to: to.id, content: `Bea agrees: ${handle}` })
  await amy.tab.getByRole("link", { name: "Inbox 1 unread" }).click()
  const letter = amy.tab.locator("[data-letter][data-unread]")
  ok((await letter.innerText()).includes("Bea agrees"), `the letter says ${await letter.innerText()}`)
  ok((await amy.tab.locator("[data-letter]").allInnerTexts()).some(s => s.includes("Make them at ingest")), "one's own letter")
  await letter.getByRole("link", { name: "Open" }).click()
  await amy.tab.locator('[data-kind="drift"] .content a.cite').first().waitFor()
  await until(async () => (await amy.tab.locator("nav [data-unread]").count()) === 0, "it to be read by being seen")

  // Pull, and a fork that is merged.
  await command(amy, "Pull from")
  await dialog(amy, "Pull from another context").getByLabel("From", { exact: true }).fill("Findings")
  await button(dialog(amy, "Pull from another context"), "Pull").click()
  await dialog(amy, "Pull from another context").waitFor({ state: "hidden" })
  await until(async () => (await amy.tab.locator('[data-kind="drift"]').count()) === 3, "what was pulled")
  const fork = await a.op("context_fork", { context: to.id, title: "Try WebP" })
  await write(a, fork.id, "WebP is 31 % smaller.")
  await amy.go(fork.url)
  await amy.tab.getByText("WebP is 31 % smaller.").waitFor()
  await command(amy, "Merge into parent")
  await dialog(amy, "Merge into the parent").getByText("Release").waitFor()
  await button(dialog(amy, "Merge into the parent"), "Merge").click()
  await dialog(amy, "Merge into the parent").waitFor({ state: "hidden" })
  await amy.go(to.url)
  await until(async () => (await amy.tab.locator('[data-kind="drift"]').count()) === 4, "what was merged")

  await amy.go("/graph")
  await until(async () => (await amy.tab.locator("[data-node]").count()) === 3, "three contexts in the graph")
  const edges = await amy.tab.locator("g[data-kind][class]:has(> path)").evaluateAll(list => [...new Set(list.map(el => el.dataset.kind))].sort())
  for (const kind of ["fork", "merge", "pull", "push"]) ok(edges.includes(kind), `no edge of a ${kind} in the graph, but ${edges}`)
  await amy.tab.locator("[data-node]", { hasText: "Try WebP" }).click()
  await amy.tab.getByText("WebP is 31 % smaller.").waitFor()
  amy.satisfied()
})

test("time travel: a point shows what was, plays on, differs, and comes back; authors have colours", { kj: true, own: true, ms: 90_000 }, async t => {
  const [a, b] = [await actor(t.server, "amy"), await actor(t.server, "ben")]
  const { url, id: context } = await a.op("context_create", { title: "Past" })
  const id = await write(a, context, "one")
  await b.op("block_append", { context, block_id: id, text: " two", flush: true })
  await a.op("block_append", { context, block_id: id, text: " three", flush: true })
  await b.op("block_replace", { context, block_id: id, content: "four", expected_text: "one two three" })
  const amy = await signedIn(t, a, url)
  await amy.tab.getByRole("link", { name: "History" }).click()
  const past = amy.tab.getByRole("region", { name: "Blocks as they were" }).locator(`[data-block="${id}"] .content, [data-block="${id}"]`).first()
  const text = () => amy.tab.locator(`[data-block="${id}"]`).first().innerText()
  await until(async () => (await text()).includes("four"), "the text as it is")
  await amy.tab.getByLabel("Steps").selectOption({ label: "Every change" }).catch(() => {})
  const slider = amy.tab.getByRole("slider", { name: "Point in time" })
  await slider.focus()
  const stepTo = async want => {
    for (let n = 0; n < 12 && !(await text()).includes(want); n++) {
      const before = await slider.inputValue()
      await amy.tab.keyboard.press("ArrowLeft")
      await until(async () => (await slider.inputValue()) !== before || before === "0", "the slider to move")
      await until(async () => (await amy.tab.locator("[aria-busy=true]").count()) === 0, "the point to be there")
    }
    ok((await text()).includes(want), `the text ${JSON.stringify(await text())} instead of ${want}`)
  }
  await stepTo("one two three")
  await past.hover()
  await past.page().getByRole("button", { name: "Bring back this text" }).first().click()
  const back = amy.tab.getByRole("dialog", { name: /^Bring back/ })
  equal([await back.locator("del").innerText(), await back.locator("ins").innerText()].map(s => s.trim()), ["four", "one two three"], "what would change")
  await button(back, "Bring back").click()
  await said(amy, "Brought back.")
  equal((await a.op("context_get", { context })).block_list[0].content, "one two three", "what the block says now")

  await amy.tab.getByLabel("Compare with").selectOption("now")
  await button(amy.tab.getByRole("group", { name: "Time" }), "First point").click()
  await until(async () => (await amy.tab.locator("ins").allInnerTexts()).some(s => s.includes("one two three")), "the difference of the beginning and now")
  await amy.tab.getByLabel("Compare with").selectOption("none")
  await amy.tab.getByLabel("Speed").selectOption({ label: "8×" })
  await button(amy.tab, "Play").click()
  await until(async () => (await slider.inputValue()) === (await slider.getAttribute("max")), "playing to reach the end")
  await button(amy.tab, "Play").waitFor()
  await until(async () => (await text()).includes("one two three"), "the text of now")

  await button(amy.tab, "Back to the context").click()
  await amy.tab.locator("section.context").waitFor()
  await b.op("block_append", { context, block_id: id, text: ", says ben", flush: true })
  await command(amy, "Colour by author")
  const legend = amy.tab.getByRole("group", { name: "Coloured by author" })
  await until(async () => /amy[\s\S]*ben|ben[\s\S]*amy/.test(await legend.innerText()), async () => `the authors in the legend; it says ${await legend.innerText()}`)
  const coloured = () => amy.block(id).locator("[class*=hue-][title]").evaluateAll(list => list.map(el => [el.textContent, el.title.split(",")[0]]))
  await until(async () => (await coloured()).length > 1, "colours in the text")
  equal((await coloured()).map(([text]) => text).join(""), "one two three, says ben", "the coloured text")
  const rendered = await coloured()
  ok(rendered.some(([, who]) => who.startsWith("amy")) && rendered.some(([, who]) => who.startsWith("ben")), `both authors: ${JSON.stringify(rendered)}`)
  await amy.edit(id)
  await until(async () => (await amy.box(id).locator("[class*=hue-][title]").count()) === rendered.length, "colours in the editor")
  amy.satisfied()
})

test("questions of agents are answered and declined on the page", { kj: true, own: true, ms: 90_000 }, async t => {
  const [a, c] = [await actor(t.server, "amy"), await actor(t.server, "claude", "agent", "editor")]
  const { id: context, url } = await a.op("context_create", { title: "Questions" })
  const claude = await McpAgent.join(t.server, { ...c, context })
  const schema = { type: "object", properties: { format: { type: "string", enum: ["jpeg", "webp"], title: "Format" }, sizes: { type: "integer", title: "Sizes", minimum: 1 }, keep: { type: "boolean", title: "Keep the old" } }, required: ["format", "sizes"] }
  const amy = await signedIn(t, a, url)
  const waits = claude.call("elicit", { message: "Which format?", schema, timeout_s: 60 })
  await amy.tab.getByRole("link", { name: "Requests 1 to answer" }).click()
  const card = amy.tab.getByRole("article", { name: "Which format?" })
  await button(card, "Answer").click()
  await card.getByRole("alert").first().waitFor()
  await card.getByLabel("webp").check()
  await card.getByLabel("Sizes").fill("3")
  await card.getByLabel("Keep the old").check()
  await button(card, "Answer").click()
  const got = await waits
  equal([got.action, got.content, got.by], ["accept", { format: "webp", sizes: 3, keep: true }, "amy"], "what the agent is told")
  await card.waitFor({ state: "detached" })
  const again = claude.call("elicit", { message: "Really?", timeout_s: 60 })
  await button(amy.tab.getByRole("article", { name: "Really?" }), "Decline").click()
  equal((await again).action, "decline", "what the agent is told of a decline")
  await amy.tab.getByText("Nobody waits for you").waitFor()
  amy.satisfied()
})

test("drifts of another kernel are let in and refused on the page", { kj: true, own: ["--kernel", "home"], ms: 90_000 }, async t => {
  const lab = await new Server(t.server.kind, t.tmp, ["--kernel", "lab"]).start()
  t.onClose(() => lab.kill())
  const a = await actor(t.server, "amy")
  const { token } = await actor(t.server, "lab", "person", "editor")
  const { id: to, url } = await a.op("context_create", { title: "Release", label: "release" })
  await a.op("drift_policy_set", { foreign: [{ verdict: "hold" }] })
  await lab.op("drift_link_set", { name: "home", url: t.server.http, token })
  const from = await lab.op("context_create", { title: "Bench" })
  const amy = await signedIn(t, a, url)
  for (const content of ["Cold reads: 843 ms", "Buy our disks"]) await lab.op("drift_push", { context: from.id, to: "home:release", content })
  await amy.tab.getByRole("link", { name: "Requests 2 to answer" }).click()
  const held = words => amy.tab.getByRole("article").filter({ hasText: words })
  await button(held("Buy our disks"), "Refuse…").click()
  await held("Buy our disks").getByLabel("Why, for its sender").fill("No advertising")
  await button(held("Buy our disks"), "Refuse it").click()
  await said(amy, "Refused")
  await held("Buy our disks").waitFor({ state: "detached" })
  await amy.tab.getByRole("link", { name: "Inbox" }).click()
  await button(amy.tab.locator("[data-item]", { hasText: "Cold reads" }), "Accept").click()
  await amy.tab.locator("[data-item]").waitFor({ state: "detached" })
  await amy.tab.locator("[data-letter]", { hasText: "Cold reads: 843 ms" }).getByText(/lab/).first().waitFor()
  const blocks = (await a.op("context_get", { context: to })).block_list
  equal(blocks.map(b => b.content), ["Cold reads: 843 ms"], "what came in")
  amy.satisfied()
})

test("each view says what is the matter when the server is away, and to whom it is not open", { kj: true, own: true, ms: 90_000 }, async t => {
  const [a, r] = [await actor(t.server, "amy"), await actor(t.server, "rita", "person", "reader")]
  const { url } = await a.op("context_create", { title: "Seen" })
  const id = await write(a, url, "what stands here")
  await a.op("elicit", { context: url, message: "May I?", wait: false })
  const proxy = await t.proxy()
  const amy = await signedIn(t, a, url, proxy.http)
  await amy.lit("saved")
  await amy.ready()
  proxy.offline()
  await amy.lit("offline")
  for (const view of ["inbox", "queue", "graph", "git", "status", "requests", `history/${url}`]) {
    await amy.go(`/${view}`)
    await amy.tab.locator("main").getByText(/away|cannot be reached|is on the server|offline/i).first().waitFor()
    equal(await amy.tab.locator("main").getByText(/broke|Something went wrong/).count(), 0, `what broke in ${view}`)
  }
  await amy.go(url)
  await amy.edit(id)
  await amy.tab.keyboard.type(", still")
  proxy.online()
  await amy.lit("saved")
  for (const view of ["inbox", "queue", "graph", "git", "status", `history/${url}`]) {
    await amy.go(`/${view}`)
    await until(async () => !/away|cannot be reached|is on the server/i.test(await amy.tab.locator("main").innerText()), `${view} to be back`)
  }
  amy.satisfied()

  const rita = await signedIn(t, r, url)
  await rita.block(id).getByText("what stands here, still").waitFor()
  for (const view of ["inbox", "queue", "graph", "git", "status", "requests", `history/${url}`]) {
    await rita.go(`/${view}`)
    await until(async () => (await rita.tab.locator("main").innerText()).length > 20 && !(await rita.tab.locator("main [aria-busy=true]").count()), `${view} to show`)
  }
  await rita.go("/requests")
  await rita.tab.getByText("You may read it. Whoever may edit the context may answer.").waitFor()
  equal(await button(rita.tab.locator("main"), "Answer").count() + (await button(rita.tab.locator("main"), "Accept").count()), 0, "buttons to answer with")
  await rita.go("/git")
  await rita.tab.getByRole("region", { name: "Git" }).getByText("/scratch").first().waitFor()
  equal(await button(rita.tab, "Mount a folder or repository").count(), 0, "buttons that mount")
  await rita.go("/status")
  await rita.tab.getByText("You are rita, reader.").waitFor()
  equal(await button(rita.tab, "New token").count(), 0, "buttons that make tokens")
  return `the browser of who may only read says ${rita.complaints.length} things`
})

test("the status says how the kernel fares, makes tokens and revokes them", { kj: true, own: true, ms: 90_000 }, async t => {
  const a = await actor(t.server, "amy")
  const { url } = await a.op("context_create", { title: "Status" })
  const amy = await signedIn(t, a, url)
  await amy.go("/status")
  const status = amy.tab.getByRole("region", { name: "Status" })
  await status.getByText("Nothing is wrong.").waitFor()
  await status.getByText("this one").waitFor()
  for (const words of ["Storage and server", "On disk", "Connections", "keeps up"]) await status.getByText(words, { exact: true }).first().waitFor()

  await button(status, "New token").click()
  await dialog(amy, "New token").getByLabel("Name").fill("scout")
  await dialog(amy, "New token").getByLabel("Role").selectOption("reader")
  await button(dialog(amy, "New token"), "Create").click()
  const made = dialog(amy, "The token of scout")
  const token = await made.locator("code").innerText()
  await button(made, "Copy").click()
  await said(amy, "Copied")
  equal(await amy.tab.evaluate(() => navigator.clipboard.readText()), token, "what is copied")
  await button(made, "Done").click()
  await made.waitFor({ state: "hidden" })
  equal(await amy.tab.getByText(token).count(), 0, "places where the token still stands")
  const whoami = () => fetch(`${t.server.http}/v1/ops/whoami`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: "{}" })
  equal((await (await whoami()).json()).principal, "scout", "whose token it is")
  await status.getByRole("combobox", { name: "Role of scout" }).selectOption("editor")
  await said(amy, "scout: editor")
  equal((await (await whoami()).json()).role, "editor", "the role")
  await button(status, "Revoke this token of scout").click()
  await button(dialog(amy, "Revoke this token of scout?"), "Revoke").click()
  await said(amy, "A token of scout is revoked")
  await button(status, "Revoke this token of scout").waitFor({ state: "detached" })
  equal((await whoami()).status, 401, "what a revoked token is answered")
  amy.satisfied()
})
