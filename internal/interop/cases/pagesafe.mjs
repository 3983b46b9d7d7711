// The page among hostile documents, names and addresses: nothing runs, nothing
// is fetched from elsewhere, nothing breaks.
import { ImmutableString } from "@automerge/automerge-repo"
import * as A from "@automerge/automerge"
import { Person } from "../lib/browser.mjs"
import { equal, ok } from "../lib/check.mjs"
import { find, saved, serverStorage } from "../lib/client.mjs"
import { pageOf } from "../lib/pages.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("browser safe")

const hit = "window.hit=(window.hit||0)+1"
/** Texts that run somewhere if they are taken for more than texts. */
const bad = [
  `<script>${hit}</script>`,
  `<img src=x onerror="${hit}">`,
  `<svg onload=${hit}><animate onbegin=${hit} attributeName=x dur=1s>`,
  `<iframe srcdoc="<script>parent.${hit}</script>"></iframe>`,
  `"><script>${hit}</script>`,
  `</textarea></style></title><script>${hit}</script>`,
  `<math><mi//xlink:href="data:x,<script>${hit}</script>">`,
  `<details open ontoggle=${hit}>`,
  `<a href="javascript:${hit}" id=clobber name=kaijutsu>x</a><form id=kaijutsu><input name=repo></form>`,
  `[link](javascript:${hit})`,
  `[link](JaVaScRiPt:${hit})`,
  `[link](java\tscript:${hit})`,
  `[link](&#106;avascript:${hit})`,
  `[link](data:text/html,<script>${hit}</script>)`,
  `[link](vbscript:msgbox(1))`,
  `[link]( javascript:${hit})`,
  `[ref]\n\n[ref]: javascript:${hit} "title"`,
  `<javascript:${hit}>`,
  `![img](javascript:${hit})`,
  `![img](https://elsewhere.invalid/pixel.png)`,
  `![img](//elsewhere.invalid/pixel.png)`,
  `![img](data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" onload="${hit}"/>)`,
  `<link rel=stylesheet href=https://elsewhere.invalid/a.css><meta http-equiv=refresh content="0;url=https://elsewhere.invalid">`,
  `<style>@import url(https://elsewhere.invalid/a.css);*{background:url(https://elsewhere.invalid/b)}</style>`,
  "```js\n</code></pre><script>" + hit + "</script>\n```",
  "```\" onload=" + hit + " x=\"\ncode\n```",
  `| a |\n|---|\n| <img src=x onerror=${hit}> |`,
  `[[../../x/<img src=x onerror=${hit}>]] [1] [x](#/cite/"><script>${hit}</script>)`,
  `\u202Egnp.exe\u202C \u2066\u0000\u001b[31m\uFEFF\uD83D`,
  `${"*a **b ".repeat(2000)}`,
  `${">".repeat(3000)} deep`,
  `${"[".repeat(5000)}${"](".repeat(2000)}`,
  `${"- ".repeat(1500)}x`,
  `${"`".repeat(9999)}`,
  `<!--${"<!--".repeat(3000)}`,
]

/** What a page must never have made out of texts. */
const foul = tab =>
  tab.evaluate(() => {
    const found = []
    if (window.hit) found.push(`something ran ${window.hit} times`)
    for (const el of document.querySelectorAll("main *, nav *, [role=dialog] *")) {
      if (["SCRIPT", "IFRAME", "OBJECT", "EMBED", "LINK", "META", "BASE", "FRAME", "STYLE"].includes(el.tagName)) found.push(`<${el.tagName}>`)
      for (const { name, value } of el.attributes) {
        if (/^on/i.test(name)) found.push(`${el.tagName} ${name}`)
        if (["href", "src", "xlink:href", "action", "formaction", "srcdoc"].includes(name) && !/^(https?:\/\/|mailto:|#|\/|automerge:)/i.test(value) && !/^data:image\/(png|jpeg|gif|webp)[;,]/.test(value)) found.push(`${el.tagName} ${name}=${value.slice(0, 80)}`)
        if (name === "src" && /^(https?:)?\/\//.test(value)) found.push(`${el.tagName} loads ${value}`)
      }
    }
    if (!window.kaijutsu?.repo?.peers) found.push("window.kaijutsu was clobbered")
    return [...new Set(found)]
  })

/** A person whose requests to anywhere else are noted. */
async function guarded(t) {
  const person = await Person.at(t)
  person.foreign = []
  person.tab.on("request", r => {
    const url = new URL(r.url())
    if (!["127.0.0.1", "localhost"].includes(url.hostname) && !["data:", "blob:"].includes(url.protocol)) person.foreign.push(r.url())
  })
  return person
}

test("hostile texts in every kind and form of block are texts", { kj: true, ms: 300_000 }, async t => {
  const kinds = ["text", "thinking", "comment", "task", "tool_call", "tool_result", "shell_command", "shell_output", "drift", "file", "error", "resource", "query", "run", "checkpoint", "made_up"]
  const amy = await guarded(t)
  const cleo = await t.client("cleo")
  const { url } = await t.server.op("context_create", { title: bad[1] })
  await t.server.op("block_create", { context: url, content: "first" })
  const handle = await find(cleo, url)
  const str = s => new ImmutableString(s)
  const ids = []
  for (const [k, kind] of kinds.entries()) {
    for (const [n, text] of bad.entries()) {
      if ((k + n) % 4 && kind !== "text") continue
      const id = `01900000-0000-7000-8000-${(k * 1000 + n).toString(16).padStart(12, "0")}`
      ids.push(id)
      const meta = { tool_name: text, tool_call_id: text, path: text, mount: text, lang: text, exit_code: text, source: { context: text, title: text }, citations: [{ ref: 1, handle: text, quote: text }], model: text, by: text, drift_kind: text, url: `javascript:${hit}` }
      handle.change(d => {
        d.pages[pageOf(id)][id] = { kind: str(kind), role: str(n % 7 ? "user" : text.slice(0, 40)), order: str(`a${n}`), status: str(n % 5 ? "done" : "running"), meta: str(JSON.stringify(meta)), ...(n % 3 === 0 ? { text: text.replace(/\uD83D$/, "") } : n % 3 === 1 ? { body: str(text) } : { chunks: [str(text)] }) }
      })
    }
  }
  await until(() => saved(handle, serverStorage(cleo)), "the server to have them")
  await amy.open(t.server.http, url)
  await amy.lit("saved")
  // From the first to the last, as one who reads.
  const seen = new Set()
  await until(
    async () => {
      for (const id of await amy.tab.locator("[data-block]").evaluateAll(list => list.map(el => el.dataset.block))) seen.add(id)
      await amy.tab.locator("main").hover()
      await amy.tab.mouse.wheel(0, 600)
      equal(await foul(amy.tab), [], "what was made of the texts")
      return ids.filter(id => seen.has(id)).length >= ids.length * 0.9
    },
    () => `the blocks to be seen; ${seen.size} of ${ids.length + 1}`,
    200_000,
  )
  equal(amy.foreign, [], "requests to elsewhere")
  amy.satisfied()
  return `${ids.length} blocks`
})

test("hostile titles, labels, names and addresses run nothing", { kj: true, own: true, ms: 240_000 }, async t => {
  const amy = await guarded(t)
  for (const title of bad.slice(0, 12)) await t.server.op("context_create", { title })
  const { url } = await t.server.op("context_create", { title: "calm" })
  await amy.open(t.server.http, url)
  await amy.lit("saved")
  for (const address of ["#automerge:<img src=x onerror=window.hit=1>", "#/cite/<script>window.hit=1</script>", "#/cite/%3Cscript%3Ewindow.hit=1%3C/script%3E", "#/history/javascript:window.hit=1", "#/git/<img src=x onerror=window.hit=1>", "#/nothing/%00%ff", "#/git/../../..", "#" + "x".repeat(100_000), "#/history/automerge:x?at=%%%&to=<b>", `#${url}/<b>`]) {
    await amy.tab.evaluate(address => (location.hash = address), address)
    await amy.tab.locator("main").waitFor()
    equal(await foul(amy.tab), [], `what was made of ${address.slice(0, 60)}`)
  }
  for (const view of ["#/", "#/graph", "#/inbox", "#/queue", "#/git", "#/status", "#/requests"]) {
    await amy.tab.evaluate(address => (location.hash = address), view)
    await amy.tab.locator("main h1, main h2").first().waitFor()
    equal(await foul(amy.tab), [], `what ${view} made of the titles`)
  }
  equal(amy.foreign, [], "requests to elsewhere")
  amy.satisfied()
})

test("hostile presence is no presence", { kj: true, ms: 240_000 }, async t => {
  const { url } = await t.server.op("context_create", { title: "Presence" })
  const { id } = await t.server.op("block_create", { context: url, content: "text" })
  const amy = await guarded(t)
  await amy.open(t.server.http, url)
  await amy.lit("saved")
  const handle = await find(await t.client("cleo"), url)
  const nick = bad[1].repeat(200)
  for (const message of [
    { __presence: { type: "snapshot", state: { nick, block: id, cursor: bad[1], hue: 1e9, status: bad[0] } } },
    { __presence: { type: "snapshot", state: null } },
    { __presence: { type: "update", channel: "__proto__", value: { polluted: true } } },
    { __presence: { type: bad[0] } },
    { nick, cursor: { block: id, at: -1 } },
    { __presence: { type: "snapshot", state: { nick: { toString: "x" }, cursor: { block: id, at: Number.NaN, head: 1e300 } } } },
    "text", 1, null, [], new Uint8Array(60_000),
  ]) handle.broadcast(message)
  await t.server.op("presence_set", { context: url, nick: bad[1].slice(0, 60), instance: "x", typing: true }).catch(() => {})
  handle.change(d => A.splice(d, ["title"], 0, 0, "Calm "))
  await amy.tab.getByText("Calm Presence").first().waitFor()
  equal(await foul(amy.tab), [], "what was made of it")
  equal(await amy.tab.evaluate(() => ({}).polluted), undefined, "Object.prototype")
  amy.satisfied()
})
