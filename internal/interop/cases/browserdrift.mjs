// Drifts and citations on the page in Chromium.
import { join } from "node:path"
import { Person } from "../lib/browser.mjs"
import { equal, ok } from "../lib/check.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("browser drift")

/** A function that calls operations as an agent of this name. */
async function agent(t, name) {
  const { token } = await t.server.op("token_create", { name, kind: "agent" })
  return async (op, params) => {
    const reply = await fetch(`${t.server.http}/v1/ops/${op}`, { method: "POST", headers: { Authorization: `Bearer ${token}` }, body: JSON.stringify(params) })
    if (!reply.ok) throw new Error(`${op}: ${reply.status} ${await reply.text()}`)
    return reply.json()
  }
}

const said = "Cold reads take 9 ms.\nThe cache holds <b>two days</b>.\nWarm reads take 1 ms."

/** Two contexts; a block of the first, and a handle of its second line. */
async function world(t, name) {
  const from = await t.server.op("context_create", { title: `${name}: findings` })
  const to = await t.server.op("context_create", { title: `${name}: release` })
  const { id } = await t.server.op("block_create", { context: from.id, kind: "text", role: "user", form: "text", content: said })
  const { handle } = await t.server.op("citation_create", { context: from.id, block_id: id, lines: "2" })
  return { from, to, id, handle }
}

const dialog = person => person.tab.getByRole("dialog", { name: "Citation" })
const opened = async (person, state) => {
  await dialog(person).waitFor()
  await until(async () => (await dialog(person).locator(".state").innerText()) === state, () => `the citation to be ${state}`)
}
/** The lines of a difference that went and came, as "-…" and "+…". */
const changed = at => at.locator("del, ins").evaluateAll(list => list.map(el => (el.tagName === "DEL" ? "-" : "+") + el.textContent))
const cited = person => dialog(person).locator(".cited").evaluate(el => el.textContent)

test("a drift says where it comes from, and opens what it cites as it was", { kj: true, ms: 240_000 }, async t => {
  const { from, to, id, handle } = await world(t, "Receipt")
  const bea = await agent(t, "bea")
  const content = `<img src=x onerror="window.hit=1"> The cache holds two days [1], not [2]; see ${handle} and [[Nowhere/${id}#1]].`
  const { block_id: block } = await bea("drift_push", { context: from.id, to: to.id, content, cite: [handle], model: "mock-1" })
  const { block_id: extract } = await t.server.op("drift_pull", { from: from.id, context: to.id })
  const amy = await (await Person.at(t)).open(t.server.http, to.url)
  await amy.lit("saved") // the engine has it: what was shown before is not drawn anew under the keyboard

  const origin = amy.block(block).locator(".origin")
  await until(async () => (await origin.innerText()).includes("Receipt: findings"), "where it comes from")
  equal((await origin.locator(":scope > span").allInnerTexts()).map(s => s.replace(/\s+/g, " ")), [`push from Receipt: findings ${from.id.slice(-6)}`, "by bea", "model mock-1"], "whence it comes")
  equal(await origin.getByRole("link").getAttribute("href"), `#${from.url}`, "the link to the source")
  ok((await amy.block(extract).locator(".origin").innerText()).includes("extract without a model"), "who made the extract")
  equal(await amy.shown(block), content, "the text")
  equal(await amy.tab.evaluate(() => [window.hit, document.querySelectorAll(".content img").length]), [undefined, 0], "what ran")

  // By keyboard: the first citation, and back.
  const link = amy.block(block).locator(".content a.cite")
  equal(await link.count(), 3, "links in the text")
  await link.first().focus()
  await amy.tab.keyboard.press("Enter")
  await opened(amy, "fresh")
  equal(await cited(amy), "The cache holds <b>two days</b>.\n", "the cited text")
  await until(async () => (await dialog(amy).locator(".origin").innerText()).includes("written by local"), "who wrote it")
  const address = amy.tab.url()
  ok(address.includes("#/cite/"), `the address of the citation is ${address}`)
  await amy.tab.keyboard.press("Escape")
  await dialog(amy).waitFor({ state: "hidden" })
  equal(await amy.tab.evaluate(() => document.activeElement.textContent), "[1]", "where the keyboard is")
  equal(new URL(amy.tab.url()).hash, `#${to.url}`, "the address afterwards")

  // The bare handle reads as words, and what it cites has changed since.
  equal(await link.nth(1).getAttribute("aria-label"), "citation of Receipt: findings, line 2", "the name of the handle's link")
  await t.server.op("block_splice", { context: from.id, block_id: id, offset: said.indexOf("two"), delete_count: 8, insert: "one hour" })
  await link.nth(1).click()
  await opened(amy, "stale")
  equal(await cited(amy), "The cache holds <b>two days</b>.\n", "the cited text, as it was")
  equal(await changed(dialog(amy).locator(".diff")), ["-The cache holds <b>two days</b>.", "+The cache holds <b>one hour</b>."], "what changed")
  await dialog(amy).getByRole("link", { name: "Go to the block" }).click()
  await until(async () => (await amy.tab.evaluate(() => document.activeElement.closest("[data-block]")?.dataset.block)) === id, "the cited block, and the keyboard at it")

  // What nobody has; then the shared address, opened by somebody else.
  await amy.go(`/cite/Nowhere/${id}%231`)
  await opened(amy, "not found")
  equal(amy.complaints.splice(0).filter(c => !c.includes("404")), [], "what the browser complains of but the answer")
  const ben = await Person.at(t)
  await ben.tab.goto(address)
  await opened(ben, "stale")
  equal(await cited(ben), "The cache holds <b>two days</b>.\n", "the cited text by its address")
  await until(async () => (await ben.tab.getByLabel("Title", { exact: true }).inputValue()) === "Receipt: findings", "the context behind the citation")
  await ben.tab.keyboard.press("Escape")
  await until(async () => new URL(ben.tab.url()).hash.startsWith(`#${from.url}`), "the address of the context")
  amy.satisfied()
  ben.satisfied()
})

test("what a block says of itself is text, whatever it says", { kj: true, ms: 240_000 }, async t => {
  const { from, to, id } = await world(t, "Hostile")
  const bad = '<img src=x onerror="window.hit=1">'
  const handle = `${from.id}/${id}#1`
  const metas = [
    { drift_kind: bad, source_kernel: bad, source_context: bad, source_title: bad, principal: { name: bad, kind: bad }, model: bad, act: bad },
    { drift_kind: "push", source_context: "javascript:window.hit=1", source_title: "x".repeat(5000), distiller: "__proto__" },
    { drift_kind: 7, source_context: [], principal: "amy", citations: [{ ref: 1, handle: "no handle" }, { ref: 1e9, handle }, { ref: 1, handle, quote: bad }], stale: [{ ref: 1, reason: "__proto__", diff: bad }] },
  ]
  const made = []
  for (const meta of metas) made.push((await t.server.op("block_create", { context: to.id, kind: "drift", role: "system", form: "body", content: "so [1]", meta })).id)
  const amy = await (await Person.at(t)).open(t.server.http, to.url)
  await until(async () => (await amy.tab.locator("[data-block]").count()) === 3, "the blocks")
  ok((await amy.block(made[0]).locator(".origin").innerText()).startsWith(`${bad} from ${bad}`), "what the first says is not shown as it is")
  for (const id of made) equal(await amy.shown(id), "so [1]", "the text")
  equal(await amy.block(made[2]).locator(".content a").getAttribute("title"), bad, "the quote")
  equal(await amy.tab.evaluate(() => [window.hit, document.querySelectorAll("main img, main script, a[href^=javascript]").length, document.documentElement.scrollWidth - document.documentElement.clientWidth]), [undefined, 0, 0], "what ran, what was made, and how much too wide it is")
  amy.satisfied()
})

test("a stale mark comes and goes with what is cited", { kj: true, ms: 240_000 }, async t => {
  const { from, to, id, handle } = await world(t, "Stale")
  const { block_id: block } = await t.server.op("drift_push", { context: from.id, to: to.id, content: "The cache holds two days [1].", cite: [handle] })
  const { id: noted } = await t.server.op("block_create", { context: to.id, kind: "text", role: "user", form: "text", content: `Noted: ${handle}` })
  const amy = await (await Person.at(t)).open(t.server.http, to.url)
  const badge = amy.block(block).locator(".badge.stale")
  await amy.block(block).locator("a.cite").first().waitFor()
  equal(await badge.isVisible(), false, "a mark on what is fresh")
  equal(await amy.block(noted).locator(".content a.cite").getAttribute("aria-label"), "citation of Stale: findings, line 2", "its name")

  const at = said.indexOf("two")
  await t.server.op("block_splice", { context: from.id, block_id: id, offset: at, delete_count: 3, insert: "nine" })
  await badge.waitFor()
  const details = amy.block(block).locator("details.stale")
  equal(await details.locator("summary").innerText(), "Stale: the lines that [1] cites are not as they were", "the reason")
  await details.locator("summary").focus()
  await amy.tab.keyboard.press("Enter")
  await details.locator("ins").waitFor()
  equal(await changed(details), ["-The cache holds <b>two days</b>.", "+The cache holds <b>nine days</b>."], "the diff")
  equal(await amy.block(block).locator(".content a.cite").getAttribute("aria-label"), "citation 1, stale", "the name of the link")

  await t.server.op("block_splice", { context: from.id, block_id: id, offset: at, delete_count: 4, insert: "two" })
  await badge.waitFor({ state: "hidden" })
  await details.waitFor({ state: "hidden" })

  await t.server.op("block_delete", { context: from.id, block_id: id })
  await badge.waitFor()
  equal(await details.locator("summary").innerText(), "Stale: the block that [1] cites was deleted", "the reason")
  await amy.block(block).locator(".content a.cite").click()
  await opened(amy, "deleted")
  equal(await cited(amy), "The cache holds <b>two days</b>.\n", "what a deleted block said")
  amy.satisfied()
})

test("unread drifts are counted as they come, and read by being seen", { kj: true, ms: 240_000 }, async t => {
  const { from, to } = await world(t, "Inbox")
  const bea = await agent(t, "bea")
  const amy = await (await Person.at(t)).open(t.server.http, from.url)
  const line = person => person.tab.getByRole("navigation", { name: "Contexts" }).locator("[data-context]", { hasText: "Inbox: release" })
  const entry = line(amy)
  await entry.waitFor()
  equal(await entry.locator("[data-unread]").isVisible(), false, "a count of nothing")
  for (const n of [1, 2]) {
    await bea("drift_push", { context: from.id, to: to.id, content: `finding ${n}` })
    await until(async () => (await entry.locator("[data-unread]").textContent()) === `${n}`, `${n} unread`)
  }
  equal(await entry.locator("[data-unread]").getAttribute("aria-label"), "2 unread", "the name of the count")
  const ben = await (await Person.at(t)).open(t.server.http, to.url) // the same principal
  await until(async () => (await ben.tab.locator("[data-block]").count()) === 2, "the drifts")
  for (const person of [ben, amy]) await line(person).locator("[data-unread]").waitFor({ state: "hidden" })
  equal((await t.server.op("drift_inbox", { context: to.id, unread: true })).letters, [], "what is unread at the server")
  // One that comes while somebody looks is read, too.
  await bea("drift_push", { context: from.id, to: to.id, content: "finding 3" })
  await until(async () => (await ben.tab.locator("[data-block]").count()) === 3, "the third")
  await until(async () => (await t.server.op("drift_inbox", { context: to.id })).unread === 0, "it to be read")
  amy.satisfied()
  ben.satisfied()
})

test("a citation without the server says so, and is read when it is back", { kj: true, own: true, ms: 240_000 }, async t => {
  const { from, to, handle } = await world(t, "Away")
  const { block_id: block } = await t.server.op("drift_push", { context: from.id, to: to.id, content: "The cache holds two days [1].", cite: [handle] })
  const proxy = await t.proxy()
  const amy = await (await Person.at(t)).open(proxy.http, to.url)
  await amy.lit("saved")
  await amy.ready()
  proxy.offline()
  await amy.lit("offline")
  await amy.block(block).locator("a.cite").first().click()
  await opened(amy, "offline")
  ok((await dialog(amy).innerText()).includes("The cache holds <b>two days</b>."), "the quote is not shown")
  proxy.online()
  await opened(amy, "fresh")
  amy.satisfied()
})

test("how drifts look", { kj: true, own: true, ms: 240_000 }, async t => {
  const shots = process.env.KJ_SHOTS ?? t.dir()
  const bea = await agent(t, "bea")
  const make = title => t.server.op("context_create", { title })
  const from = await make("Why is the gallery slow?")
  const other = await make("Sprint planning, week 47")
  const to = await make("Release 2.4")
  const write = (as, context, content, more = {}) => as("block_create", { context: context.id, kind: "text", role: "user", form: "text", content, ...more })
  const { id } = await write(t.server.op.bind(t.server), from, "Thumbnails are made when they are asked for.\nA cold read takes 900 ms, a warm one 9 ms.\nWe decided to make them at ingest, in three sizes.\nThe cache holds two days.")
  await write(t.server.op.bind(t.server), to, "What do we still need for 2.4?")
  const cite = async lines => (await t.server.op("citation_create", { context: from.id, block_id: id, lines })).handle
  const handles = [await cite("2-3"), await cite("4")]
  const { block_id: block } = await bea("drift_push", { context: from.id, to: to.id, model: "claude-sonnet-4-5", cite: handles, content: "Thumbnails will be made at ingest, because cold reads take 100 times as long [1]. Until then the cache hides it for two days [2]." })
  await t.server.op("drift_pull", { from: from.id, context: to.id })
  await write(t.server.op.bind(t.server), to, `Ingest has to be in 2.4 then, see ${handles[0]}`)
  await bea("drift_push", { context: from.id, to: other.id, content: "Ingest takes a day more." })
  await t.server.op("block_splice", { context: from.id, block_id: id, offset: 0, delete_count: 0, insert: "Measured on Tuesday.\n" })
  const old = "The cache holds two days."
  const { block_list: list } = await t.server.op("context_get", { context: from.id })
  await bea("block_splice", { context: from.id, block_id: id, offset: list[0].content.indexOf(old), delete_count: old.length, insert: "The cache holds six hours since the disks were changed." })

  const amy = await (await Person.at(t, { viewport: { width: 1180, height: 820 } })).open(t.server.http, to.url)
  await amy.block(block).locator(".badge.stale").waitFor()
  await amy.block(block).locator("details.stale summary").click()
  await amy.lit("saved")
  await until(async () => (await amy.tab.locator("nav [data-context] [data-unread]").count()) === 1, "the letter here to be read")
  await amy.tab.locator("section.context").evaluate(el => (el.scrollTop = 0))
  const shot = name => amy.tab.screenshot({ path: join(shots, name), animations: "disabled" })
  const fits = async what => equal(await amy.tab.evaluate(() => Math.max(0, ...[document.documentElement, ...document.querySelectorAll("main, dialog[open]")].map(el => el.scrollWidth - el.clientWidth))), 0, `pixels that ${what} is too wide`)
  const looks = async name => {
    for (const scheme of ["light", "dark"]) {
      await amy.tab.emulateMedia({ colorScheme: scheme })
      await amy.tab.setViewportSize({ width: 1180, height: 820 })
      await shot(`${name}-${scheme}.png`)
      await amy.tab.setViewportSize({ width: 400, height: 780 })
      await shot(`${name}-narrow-${scheme}.png`)
      await fits(`${name}, narrow`)
    }
    await amy.tab.setViewportSize({ width: 1180, height: 820 })
  }
  await looks("drift")
  await amy.tab.locator("section.context").evaluate(el => (el.scrollTop = el.scrollHeight))
  await shot("drift-end.png")
  await amy.block(block).locator(".content a.cite").nth(1).click()
  await opened(amy, "stale")
  await looks("citation-stale")
  await amy.tab.keyboard.press("Escape")
  await amy.block(block).locator(".content a.cite").first().click()
  await opened(amy, "fresh")
  equal(await dialog(amy).locator(".verdict").innerText(), "They stand as they were, now as lines 3–4.", "the verdict on lines that moved")
  await looks("citation-fresh")
  amy.satisfied()
})
