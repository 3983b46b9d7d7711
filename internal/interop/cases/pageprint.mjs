// What leaves the page: on the clipboard and on paper.
import { Person } from "../lib/browser.mjs"
import { equal, ok } from "../lib/check.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("browser print")

/** A context with a block of several kinds, and many of text. */
async function context(t, title, many = 0) {
  const { url } = await t.server.op("context_create", { title })
  const ids = {}
  const put = async (name, params) => (ids[name] = (await t.server.op("block_create", { context: url, ...params })).id)
  await put("text", { content: "## Plan\n\nMake **thumbnails** at ingest: <b>not</b> later." })
  await put("thinking", { kind: "thinking", content: "Where does\nthe time go?" })
  await put("call", { kind: "tool_call", content: '{"command":"go test"}', metadata: { tool_name: "shell" } })
  await put("result", { kind: "tool_result", parent_id: ids.call, content: "ok  \tthumbs ```fence``` 41s" })
  await put("task", { kind: "task", content: "Write it down", status: "pending" })
  await put("folded", { content: "A folded block" })
  await put("below", { content: "What hangs below it", parent_id: ids.folded })
  await t.server.op("block_set", { context: url, block_id: ids.folded, collapsed: true })
  for (let n = 0; n < many; n++) await put(`n${n}`, { content: `Paragraph ${n} of many` })
  return { url, ids }
}

const clipboard = tab => tab.evaluate(() => navigator.clipboard.readText())

async function reader(t) {
  const amy = await Person.at(t)
  await amy.context.grantPermissions(["clipboard-read", "clipboard-write"])
  return amy
}

test("copied blocks are clean Markdown", { kj: true, ms: 240_000 }, async t => {
  const { url, ids } = await context(t, "Copying")
  const amy = await reader(t)
  const { tab } = amy
  await amy.open(t.server.http, url)
  await amy.lit("saved")

  // One, then some, by the keys of the list.
  await amy.block(ids.text).focus()
  await tab.keyboard.press("Home")
  await tab.keyboard.press("Control+c")
  const plan = "## Plan\n\nMake **thumbnails** at ingest: <b>not</b> later.\n"
  await until(async () => (await clipboard(tab)) === plan, async () => `the first block on the clipboard; there is ${JSON.stringify(await clipboard(tab))}`)
  await tab.keyboard.press("Shift+ArrowDown")
  await tab.keyboard.press("Control+c")
  const both = `${plan}\n> **Thinking**\n>\n> Where does\n> the time go?\n`
  await until(async () => (await clipboard(tab)) === both, async () => `both blocks on the clipboard; there is ${JSON.stringify(await clipboard(tab))}`)

  // A selection with the mouse over several rows is of whole blocks too.
  await tab.keyboard.press("Escape")
  await tab.evaluate(([from, to]) => {
    const range = document.createRange()
    range.setStart(document.querySelector(`[data-block="${from}"] .content`), 0)
    range.setEnd(document.querySelector(`[data-block="${to}"] .content`), 1)
    getSelection().removeAllRanges()
    getSelection().addRange(range)
  }, [ids.text, ids.thinking])
  await tab.keyboard.press("Control+c")
  await until(async () => (await clipboard(tab)) === both, async () => `what the selection spans; there is ${JSON.stringify(await clipboard(tab))}`)
  await tab.evaluate(() => getSelection().removeAllRanges())

  // The whole, with its title, with what is folded and without controls.
  await tab.keyboard.press("Control+k")
  await tab.getByRole("dialog", { name: "Command palette" }).getByRole("combobox").fill("Copy context as Markdown")
  await tab.getByRole("option", { name: "Copy context as Markdown" }).first().click()
  await until(async () => (await clipboard(tab)).startsWith("# Copying\n"), async () => `the context on the clipboard; there is ${JSON.stringify((await clipboard(tab)).slice(0, 200))}`)
  const whole = await clipboard(tab)
  equal(
    whole.split("\n\n"),
    ["# Copying", "## Plan", "Make **thumbnails** at ingest: <b>not</b> later.", "> **Thinking**\n>\n> Where does\n> the time go?", "**Tool call**", '```json\n{"command":"go test"}\n```', "**Result**", "````\nok  \tthumbs ```fence``` 41s\n````", "- [ ] Write it down", "A folded block", "What hangs below it\n"],
    "the whole context",
  )
  amy.satisfied()
})

/** What is on paper: the words that are to be seen under the rules for print. */
const paper = tab =>
  tab.evaluate(() => {
    const shown = el => el.checkVisibility({ visibilityProperty: true })
    const words = [...document.querySelectorAll("body *")].filter(el => el.childNodes.length && [...el.childNodes].some(n => n.nodeType === Node.TEXT_NODE && n.data.trim()) && shown(el)).map(el => el.innerText ?? el.textContent)
    return { words: words.join("\n"), controls: [...document.querySelectorAll("button, nav, input, textarea, output, header button")].filter(el => shown(el) && el.type !== "checkbox").length }
  })

test("a context is printed whole, and nothing else", { kj: true, ms: 240_000 }, async t => {
  const many = 120
  const { url } = await context(t, "Printing", many)
  const amy = await reader(t)
  const { tab } = amy
  await tab.emulateMedia({ colorScheme: "dark" })
  await amy.open(t.server.http, url)
  await amy.lit("saved")
  ok((await amy.ids()).length < many, "on the screen only some rows are in the page")

  await tab.emulateMedia({ media: "print", colorScheme: "dark" })
  await tab.evaluate(() => dispatchEvent(new Event("beforeprint")))
  const { words, controls } = await paper(tab)
  for (let n = 0; n < many; n++) ok(words.includes(`Paragraph ${n} of many`), `paragraph ${n} is on paper`)
  for (const part of ["Printing", "Plan", "thumbnails", "Where does", "go test", "41s", "Write it down", "What hangs below it"]) ok(words.includes(part), `${part} is on paper`)
  equal(controls, 0, "controls on paper")
  ok(!words.includes("Inbox") && !words.includes("saved"), "what is about the document is not on paper")
  const ink = await tab.evaluate(() => {
    const at = document.querySelector("[data-print]")
    const light = c => (c.match(/[\d.]+/g) ?? []).slice(0, 3).reduce((sum, v) => sum + Number(v), 0)
    return { ink: light(getComputedStyle(at).color), paper: getComputedStyle(document.body).backgroundColor }
  })
  ok(ink.ink < 200, `words are dark on paper, also of a page that is dark on the screen: ${JSON.stringify(ink)}`)
  await tab.evaluate(() => dispatchEvent(new Event("afterprint")))
  await tab.emulateMedia({ media: null })
  equal(await tab.locator("[data-print]").count(), 0, "the sheet is gone afterwards")

  // As the browser itself prints: it says beforeprint, and pages come out.
  const pdf = await tab.pdf({ format: "A4" })
  const pages = (pdf.toString("latin1").match(/\/Type\s*\/Page[^s]/g) ?? []).length
  ok(pages >= 3, `${pages} pages`)
  amy.satisfied()
  return `${pages} pages of ${pdf.length} bytes`
})
