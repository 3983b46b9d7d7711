// What people do to blocks on the page, and what becomes of it when tabs go.
import { Person, closeBrowser } from "../lib/browser.mjs"
import { equal, ok } from "../lib/check.mjs"
import { afterAll, inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("browser")
afterAll(closeBrowser)

/** A context with blocks of text. */
async function context(t, title, ...texts) {
  const { url } = await t.server.op("context_create", { title })
  const ids = []
  for (const content of texts) ids.push((await t.server.op("block_create", { context: url, kind: "text", role: "user", form: "text", content })).id)
  return { url, ids }
}

const blocks = async (t, url) => (await t.server.op("context_get", { context: url })).block_list
const tree = async (t, url) => (await blocks(t, url)).map(b => [b.content, b.depth ?? 0])

/** Waits for the server to hold what was done. */
const comes = (t, url, want, what) =>
  until(async () => JSON.stringify(await tree(t, url)) === JSON.stringify(want), async () => `${what}; the server has ${JSON.stringify(await tree(t, url))}`, 15_000)

/** Selects a block, as a click beside its words does. */
async function select(person, id, modifiers = []) {
  await person.block(id).click({ position: { x: 3, y: 3 }, modifiers })
  await person.tab.locator(`[data-block="${id}"][data-selected]`).waitFor()
}

test("blocks are split, merged, indented and moved by keyboard", { kj: true, ms: 90_000 }, async t => {
  const { url, ids: [one, two, three] } = await context(t, "Shapes", "one", "two halves", "three")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  const { keyboard } = amy.tab
  await amy.edit(two, 3)
  await keyboard.press("Control+Shift+Enter")
  await comes(t, url, [["one", 0], ["two", 0], [" halves", 0], ["three", 0]], "the split")
  await amy.tab.locator(".cm-content:focus").getByText("halves").waitFor()
  await keyboard.press("Control+Home")
  await keyboard.press("Backspace")
  await comes(t, url, [["one", 0], ["two halves", 0], ["three", 0]], "the merge")
  await until(async () => (await amy.box(two).count()) === 1, "the caret in the merged block")
  await keyboard.type("|")
  await comes(t, url, [["one", 0], ["two| halves", 0], ["three", 0]], "the caret at the seam")
  await amy.leave()
  await keyboard.press("Alt+ArrowRight")
  await comes(t, url, [["one", 0], ["two| halves", 1], ["three", 0]], "the indent")
  await keyboard.press("Alt+ArrowLeft")
  await comes(t, url, [["one", 0], ["two| halves", 0], ["three", 0]], "the outdent")
  await keyboard.press("Alt+ArrowDown")
  await comes(t, url, [["one", 0], ["three", 0], ["two| halves", 0]], "the move")
  await until(() => amy.block(two).evaluate(el => el === document.activeElement), "the keyboard to stay on what moved")
  ok((await amy.ids()).join() === [one, three, two].join(), "the order on the page")
  amy.satisfied()
})

test("blocks are dragged by the mouse", { kj: true, ms: 90_000 }, async t => {
  const { url, ids: [one, , three] } = await context(t, "Drag", "one", "two", "three")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  await amy.block(three).hover()
  const grip = amy.block(three).locator('[title="Drag to move"]')
  const from = await grip.boundingBox()
  const to = await amy.block(one).boundingBox()
  await amy.tab.mouse.move(from.x + 5, from.y + 5)
  await amy.tab.mouse.down()
  await amy.tab.mouse.move(to.x + 60, to.y + 20, { steps: 8 })
  await amy.tab.mouse.move(to.x + 60, to.y + 2, { steps: 4 })
  await amy.block(one).locator("[data-where]").waitFor({ state: "attached" })
  await amy.tab.mouse.up()
  await comes(t, url, [["three", 0], ["one", 0], ["two", 0]], "the drop")
  amy.satisfied()
})

test("several blocks are selected, excluded, deleted and brought back; one is folded", { kj: true, ms: 90_000 }, async t => {
  const { url, ids: [one, two, three] } = await context(t, "Several", "one", "two", "three")
  await t.server.op("block_create", { context: url, kind: "text", role: "user", form: "text", content: "below three", parent_id: three })
  const amy = await (await Person.at(t)).open(t.server.http, url)
  await select(amy, one)
  await amy.tab.keyboard.press("Shift+ArrowDown")
  await until(async () => (await amy.tab.locator("[data-selected]").count()) === 2, "two selected")
  await amy.block(two).hover()
  await amy.block(two).getByRole("button", { name: "More actions" }).click()
  await amy.tab.getByRole("menuitem", { name: "Do not send to models" }).click()
  await until(async () => (await blocks(t, url)).filter(b => b.excluded).length === 2, "two excluded")
  await amy.block(one).focus()
  await amy.tab.keyboard.press("Delete")
  await comes(t, url, [["three", 0], ["below three", 1]], "the deletion")
  await amy.tab.getByRole("region", { name: "Messages" }).getByRole("button", { name: "Undo" }).click()
  await comes(t, url, [["one", 0], ["two", 0], ["three", 0], ["below three", 1]], "what was deleted")
  await select(amy, three)
  await amy.tab.keyboard.press(" ")
  await until(async () => (await amy.tab.locator("[data-block]").count()) === 3, "the fold")
  await until(async () => (await blocks(t, url)).find(b => b.id === three).collapsed, "the fold on the server")
  amy.satisfied()
})

test("one's own work is undone, and another's stays", { kj: true, ms: 90_000 }, async t => {
  const { url, ids: [id] } = await context(t, "Undo", "base")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  const ben = await (await Person.at(t)).open(t.server.http, url)
  await amy.edit(id)
  await amy.tab.keyboard.type(" amy")
  await amy.leave()
  await amy.lit("saved")
  await ben.edit(id, "start")
  await ben.tab.keyboard.type("ben ")
  await ben.leave()
  await until(async () => (await amy.shown(id)) === "ben base amy", "what ben wrote")
  await amy.block(id).focus()
  await amy.tab.keyboard.press("Control+z")
  await comes(t, url, [["ben base", 0]], "amy's undo")
  for (const person of [amy, ben]) person.satisfied()
})

test("a tool call is one card, and its result comes as it is streamed", { kj: true, ms: 90_000 }, async t => {
  const { url } = await context(t, "Tool", "run it")
  const { id: call } = await t.server.op("block_create", { context: url, kind: "tool_call", role: "model", status: "running", content: '{"pattern":"x"}', metadata: { tool_name: "grep" } })
  const { id: result } = await t.server.op("block_create", { context: url, kind: "tool_result", role: "tool", form: "chunks", content: "first line\n", parent_id: call })
  const amy = await (await Person.at(t)).open(t.server.http, url)
  const card = amy.block(call)
  await card.locator("button[aria-expanded]").first().click()
  await amy.block(result).getByText("first line").waitFor()
  for (let n = 0; n < 5; n++) await t.server.op("block_append", { context: url, block: result, text: `line ${n}\n` })
  await amy.block(result).getByText("line 4").waitFor()
  equal(await amy.tab.locator("article[data-block]").count(), 2, "rows: the text, and the call with its result")
  amy.satisfied()
})

test("who is here shows, with caret and selection", { kj: true, ms: 90_000 }, async t => {
  const { url, ids: [id] } = await context(t, "Seats", "words to select")
  const amy = await (await Person.at(t)).open(t.server.http, url)
  const ben = await (await Person.at(t)).open(t.server.http, url)
  await amy.tab.locator("[data-seat]").waitFor()
  await ben.edit(id, "start")
  await amy.box(id).waitFor()
  await amy.block(id).locator(".kj-caret").waitFor({ state: "attached" })
  for (let n = 0; n < 5; n++) await ben.tab.keyboard.press("Shift+ArrowRight")
  await amy.block(id).locator(".kj-selected").first().waitFor({ state: "attached" })
  await ben.leave()
  await until(async () => (await amy.tab.locator(".kj-caret").count()) === 0, "the caret to go")
  await ben.tab.close()
  await until(async () => (await amy.tab.locator("[data-seat]").count()) === 0, "ben's seat to go", 20_000)
  amy.satisfied()
})

test("the palette and the search lead to a text, also on a narrow screen", { kj: true, ms: 90_000 }, async t => {
  const { url, ids: [, id] } = await context(t, "Haystack", "hay", "a needle-so-rare in it")
  const amy = await (await Person.at(t, { viewport: { width: 400, height: 720 } })).open(t.server.http)
  await amy.lit("connected")
  await amy.tab.keyboard.press("Control+k")
  const palette = amy.tab.getByRole("dialog", { name: "Command palette" })
  await amy.tab.locator("dialog input:focus").waitFor()
  await amy.tab.keyboard.type("needle-so-rare")
  await palette.getByRole("option").filter({ hasText: "needle-so-rare" }).first().click()
  await amy.block(id).waitFor()
  await amy.go("#/")
  await amy.tab.locator("#list-button").click()
  const drawer = amy.tab.getByRole("dialog", { name: "Contexts and views" })
  await drawer.getByRole("searchbox").fill("Haystack")
  await drawer.locator("[data-found]").first().click()
  await amy.tab.locator("section.context").waitFor()
  await drawer.waitFor({ state: "detached" })
  ok(amy.tab.url().includes(url), "the address of what was found")
  ok(await amy.tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the screen")
  amy.satisfied()
})

test("no keystroke is lost when tabs are reloaded or closed right after it", { kj: true, own: true, ms: 120_000 }, async t => {
  const { url, ids: [id] } = await context(t, "Keystrokes", "")
  const proxy = await t.proxy()
  let amy = await (await Person.at(t)).open(proxy.http, url)
  await amy.lit("saved")
  await amy.ready()
  let want = ""
  for (const online of [true, false]) {
    if (online) proxy.online()
    else proxy.offline()
    for (const close of [true, false, true, false]) {
      await amy.edit(id)
      const word = `${online ? "on" : "off"} ${close ? "closed" : "reloaded"}. `
      want += word
      await amy.tab.keyboard.type(word)
      if (close) {
        const next = await amy.another()
        await amy.tab.close()
        amy = await next.open(proxy.http, url)
      } else await amy.tab.reload()
      await amy.block(id).waitFor()
      await until(async () => (await amy.text(url, id)) === want, async () => `${JSON.stringify(want)}; it is ${JSON.stringify(await amy.text(url, id))}`, 15_000)
      await amy.lit(online ? "saved" : "offline")
    }
  }
  await amy.tab.getByLabel("New block", { exact: true }).fill("a draft")
  await amy.tab.reload()
  await amy.block(id).waitFor()
  equal(await amy.tab.getByLabel("New block", { exact: true }).inputValue(), "a draft", "what stood in the composer")
  proxy.online()
  await amy.lit("saved")
  equal((await blocks(t, url))[0].content, want, "what the server has")
  amy.satisfied()
})

test("a browser that keeps nothing says so", { kj: true, own: true, ms: 90_000 }, async t => {
  const { url, ids: [id] } = await context(t, "Full", "x")
  const proxy = await t.proxy()
  const amy = await Person.at(t)
  await amy.tab.addInitScript(() => {
    const put = IDBObjectStore.prototype.put
    window.full = false
    IDBObjectStore.prototype.put = function (...args) {
      if (window.full) throw new DOMException("no room", "QuotaExceededError")
      return put.apply(this, args)
    }
  })
  await amy.open(proxy.http, url)
  await amy.lit("saved")
  proxy.offline()
  await amy.lit("offline")
  await amy.tab.evaluate(() => (window.full = true))
  await amy.edit(id)
  await amy.tab.keyboard.type("yz")
  await amy.tab.locator(".trouble").getByText("no room").waitFor()
  await until(async () => (await amy.light()).text === "offline (2 unsent, not kept)", async () => `the light to say so; ${JSON.stringify(await amy.light())}`)
  await amy.tab.evaluate(() => (window.full = false))
  proxy.online()
  await amy.lit("saved")
  await amy.tab.keyboard.type("!")
  await amy.tab.locator(".trouble").waitFor({ state: "detached" })
})
