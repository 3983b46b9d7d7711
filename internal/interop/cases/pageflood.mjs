// The page under documents that are meant to stop it: how long the
// tab does not answer is measured by itself.
import { ImmutableString } from "@automerge/automerge-repo"
import { Person } from "../lib/browser.mjs"
import { equal, ok } from "../lib/check.mjs"
import { find, saved, serverStorage } from "../lib/client.mjs"
import { pageOf } from "../lib/pages.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("browser flood")

const str = s => new ImmutableString(s)
const idOf = n => `01900000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`

/** Writes blocks into a context, as any stock client may; each is [text, fields]. Resolves to their ids. */
async function write(t, url, blocks) {
  const repo = await t.client("mallory")
  const handle = await find(repo, url)
  const ids = []
  handle.change(d => {
    for (const [n, [text, fields = {}]] of blocks.entries()) {
      const id = fields.id ?? idOf(n)
      ids.push(id)
      const { id: _, ...rest } = fields
      d.pages[pageOf(id)][id] = { kind: str("text"), role: str("user"), status: str("done"), order: str(`a${n.toString(36).padStart(6, "0")}`), ...(text === null ? {} : { body: str(text) }), ...Object.fromEntries(Object.entries(rest).map(([k, v]) => [k, typeof v === "string" && k !== "text" ? str(v) : v])) }
    }
  })
  await until(() => saved(handle, serverStorage(repo)), "the server to have them", 120_000)
  return { repo, handle, ids }
}

/** Begins to note the longest time in which the tab did nothing else, in milliseconds. */
const watch = tab =>
  tab.evaluate(() => {
    window.longest = 0
    new PerformanceObserver(list => list.getEntries().forEach(e => (window.longest = Math.max(window.longest, e.duration)))).observe({ type: "longtask" })
  })
const longest = tab => tab.evaluate(() => Math.round(window.longest))

/** The page goes on: it takes a keystroke and shows another view. */
async function alive(person) {
  const { tab } = person
  await tab.keyboard.press("Control+k")
  await tab.getByRole("dialog", { name: "Command palette" }).waitFor()
  await tab.keyboard.type("inbox")
  await tab.getByRole("option", { name: "Inbox" }).first().waitFor()
  await tab.keyboard.press("Escape")
  equal(await tab.evaluate(() => [window.hit, {}.polluted, Object.keys(Object.prototype).length]), [undefined, undefined, 0], "what ran or was polluted")
}

const mega = 1 << 20
const monsters = {
  "a megabyte in one line": [["x".repeat(mega)], ["after"]],
  "half a megabyte of Markdown in one line": [["**a** [b](c) `d` ".repeat(30_000)], [null, { text: "**a** [b](c) `d` ".repeat(20_000) }], ["after"]],
  "combining characters": [["z" + "\u0301\u0489".repeat(50_000)], [null, { text: "e" + "\u0300".repeat(100_000) }], ["after"]],
  "names that every object has": ["__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"].map(word => [word, { kind: word, role: word, status: word, parent: word, meta: `{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"path":"${word}","source":{"__proto__":1}}` }]).concat([["after"]]),
}

for (const [what, blocks] of Object.entries(monsters)) {
  test(`the page lives with ${what}`, { kj: true, ms: 120_000 }, async t => {
    const { url } = await t.server.op("context_create", { title: what })
    const { ids } = await write(t, url, blocks)
    const amy = await Person.at(t)
    const { tab } = amy
    await amy.open(t.server.http, (await t.server.op("context_create", { title: "calm" })).url)
    await amy.lit("saved")
    await watch(tab)
    await amy.go(`${url}/${ids.at(-1)}`)
    await amy.block(ids.at(-1)).waitFor()
    await tab.locator("section.context").evaluate(el => (el.scrollTop = 0))
    await amy.block(ids[0]).waitFor()
    const shown = await longest(tab)
    // Opens what can be opened.
    await amy.block(ids[0]).focus()
    await tab.keyboard.press("Home")
    await tab.keyboard.press("Enter")
    await tab.keyboard.press("Escape")
    await alive(amy)
    const all = await longest(tab)
    ok(all < 4000, `the tab did nothing else for ${all} ms, ${shown} ms of that while it was shown`)
    // Too much for the list of a context's first blocks, which is then left out.
    amy.complaints = amy.complaints.filter(c => !/status of 413/.test(c))
    amy.satisfied()
    return `longest task ${shown} ms to show, ${all} ms in all`
  })
}
