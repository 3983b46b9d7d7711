// @vitest-environment jsdom
import assert from "node:assert/strict"
import { renderToStaticMarkup } from "react-dom/server"
import { expect, test } from "vitest"
import { Markdown } from "./Markdown"
import { inTextPieces } from "./markdown/pieces"
import { disguised, safeAddress, safePicture } from "./markdown/url"

function page(text: string, refs?: ReadonlyMap<number, string>): HTMLElement {
  const div = document.createElement("div")
  div.innerHTML = renderToStaticMarkup(<Markdown text={text} refs={refs} />)
  return div
}

const tags = new Set(
  "a blockquote br button code del div em h3 h4 h5 h6 hr img input li ol p path pre rect section span strong sup svg table tbody td th thead tr ul polyline circle".split(" "),
)
const attributes = new Set(
  "alt aria-hidden aria-label aria-pressed checked class colspan cx cy d data-state dir disabled fill height href id loading points r rel role rx ry src start stroke stroke-linecap stroke-linejoin stroke-width viewBox style tabindex target title type viewbox width x xmlns y".split(" "),
)

/** What is wrong with what was made. */
function foul(div: HTMLElement): string[] {
  const found: string[] = []
  for (const el of div.querySelectorAll("*")) {
    const tag = el.tagName.toLowerCase()
    if (!tags.has(tag)) found.push(`<${tag}>`)
    for (const { name, value } of el.attributes) {
      if (!attributes.has(name) || (name === "id" && !value.startsWith("radix"))) found.push(`${tag} ${name}="${value}"`)
      if (name === "style" && !/^text-align: ?(left|right|center);?$/.test(value)) found.push(`${tag} style="${value}"`)
      if (name === "dir" && !/^(auto|rtl)$/.test(value)) found.push(`${tag} dir="${value}"`)
      if (name === "href" && !/^(https?:\/\/[^/]|mailto:|#\/|#automerge:)/.test(value)) found.push(`href="${value}"`)
      if (name === "href" && !value.startsWith("#") && el.getAttribute("target") !== "_blank") found.push(`${value} opens here`)
      if (name === "href" && !value.startsWith("#") && !/noopener.*noreferrer/.test(el.getAttribute("rel") ?? "")) found.push(`${value} tells who we are`)
      if (name === "src" && !/^data:image\/(png|jpeg|gif|webp);base64,/.test(value)) found.push(`src="${value}"`)
    }
  }
  return found
}

const hit = "alert(1)"
const hostile = [
  ..."<script>|<img src=x onerror=X>|<svg onload=X>|<iframe src=javascript:X>|<a href='javascript:X'>x</a>|<form action=x><input>|<style>*{}</style>|<link rel=stylesheet href=//e>|<math><mi xlink:href=x>|<details open ontoggle=X>|<body onload=X>|<object data=x>|<base href=//e>|<meta http-equiv=refresh content=0>|<!-- x -->|<![CDATA[x]]>|<?php x ?>|<!DOCTYPE x>|</div></div><b>".split("|").flatMap(x => [x, `a ${x} b`, `| a |\n|-|\n| ${x} |`, `- ${x}`, `> ${x}`]),
  ...["javascript:X", "JaVaScRiPt:X", "java\tscript:X", "java&#10;script:X", "&#106;avascript:X", "&#x6A;avascript:X", "javascript&colon;X", "\u0001javascript:X", " javascript:X", "data:text/html,<script>X</script>", "data:text/html;base64,PHNjcmlwdD4=", "data:image/svg+xml,<svg onload=X>", "vbscript:X", "file:///etc/passwd", "blob:https://x/1", "filesystem:x", "about:blank", "ws://x", "ftp://x", "intent:x", "//elsewhere.invalid", "/v1/ops/x", "\\\\elsewhere", "https:\\\\elsewhere", "https://", "http:x", "https://user:pass@elsewhere.invalid/", "https://good.example\u202e@evil.invalid", "?x", "#x", "#kaijutsu", "#/nowhere", "#javascript:X", "#automerge:x\" onclick=X"].flatMap(u => [
    `[x](${u})`, `[x](<${u}>)`, `![x](${u})`, `<${u}>`, `[x][r]\n\n[r]: ${u}`, `[x][r]\n\n[r]: <${u}> "t"`, u,
  ]),
  "```js\n</code></pre><script>X</script>\n```",
  '```" onload=X x="\ncode\n```',
  "```constructor\nx\n```",
  "```__proto__\nx\n```",
  '[x](https://e.invalid "t\\" onmouseover=X")',
  "![x](https://e.invalid/pixel.png)",
  "[^1]\n\n[^1]: <script>X</script> [x](javascript:X)",
  "www.javascript:X http://javascript:X",
  "a@b.c <script>@b.c xmpp:a@b.c",
  "\u202Egnp.exe\u202C \u2066\u0000\u001b[31m\uFEFF\uD83D",
  "&lt;script&gt;X&lt;/script&gt; &#0; &#x202e; &#xD800;",
  "[[../../x/<img src=x onerror=X>]] [1] [2]",
  "| a | b |\n|:-|-:|\n| `|` | <b>x</b> |",
].map(s => s.replaceAll("X", hit))

test("what begins from the right stands at the right", () => {
  const sides = (text: string) => [...page(text).querySelectorAll("[dir]")].map(el => `${el.tagName.toLowerCase()} ${el.getAttribute("dir")}`)
  assert.deepEqual(sides("# שלום\n\nمرحبا"), ["h3 auto", "p auto"])
  assert.deepEqual(sides("- **مرحبا** world\n- hello"), ["ul rtl"])
  assert.deepEqual(sides("1. one\n2. مرحبا"), [])
  assert.deepEqual(sides("> مرحبا"), ["blockquote rtl", "p auto"])
  assert.deepEqual(sides("| اسم | b |\n|-|-|\n| c | d |"), ["div rtl"])
})

test("nothing dangerous comes out of hostile Markdown", () => {
  const refs = new Map([[1, '"><script>alert(1)</script>'], [2, "javascript:alert(1)"]])
  for (const text of hostile) assert.deepEqual(foul(page(text, refs)), [], text)
})

test("Markdown is shown as it is meant", () => {
  const cases: [string, string, string][] = [
    ["headings stand below those of the page", "# One\n\n## Two", "h3,h4"],
    ["tasks", "- [x] a\n- [ ] b", "ul,li,input,li,input"],
    ["a table", "| a |\n|-|\n| b |", "div,table,thead,tr,th,tbody,tr,td"],
    ["emphasis", "*a* **b** ~~c~~ `d`", "p,em,strong,del,code"],
    ["an own address", "[x](#/graph) [y](#automerge:4NMNnkMhL8jXrdJ9jamS58PAVdXu)", "p,a,a"],
    ["a picture elsewhere is a link", "![x](https://e.invalid/a.png)", "p,a,svg"],
    ["a picture within", "![x](data:image/png;base64,aGk=)", "p,img"],
  ]
  for (const [name, text, want] of cases) {
    const made = [...page(text).querySelectorAll("*")].map(e => e.tagName.toLowerCase()).filter(t => !/^(path|rect|circle)$/.test(t)).slice(1)
    assert.equal(made.join(), want, name)
  }
  assert.equal(page("a\u202eb").textContent, "aU+202Eb")
  assert.equal(page("<b>x</b>").textContent, "<b>x</b>")
})

test("what cites is a link to what it cites, but not within code", () => {
  const uuid = "01990000-0000-7000-8000-000000000001"
  const handle = `${uuid}/${uuid}@${"ab".repeat(32)}#1-3`
  const links = (text: string) => [...page(text, new Map([[1, handle]])).querySelectorAll("a")].map(a => [a.getAttribute("href"), a.textContent])
  const to = `#/cite/${uuid}/${uuid}@${"ab".repeat(32)}%231-3`
  assert.deepEqual(links(`see [1] and [[${handle}]] and ${handle}.`), [[to, "[1]"], [to, `[[${handle}]]`], [to, handle]])
  assert.deepEqual(links(`**[1]** \`[1]\` [2]`), [[to, "[1]"]])
})

test("addresses", () => {
  const cases: [string, string | null][] = [
    ["https://e.invalid/a?b#c", "https://e.invalid/a?b#c"],
    ["HTTP://E.invalid", "http://e.invalid/"],
    ["mailto:a@b.c", "mailto:a@b.c"],
    ["#/cite/x/y", "#/cite/x/y"],
    ["#/history/automerge:abc?at=1", "#/history/automerge:abc?at=1"],
    ["javascript:alert(1)", null],
    ["https:/\\evil", "https://evil/"],
    ["", null],
  ]
  for (const [href, want] of cases) assert.equal(href === "https:/\\evil" ? null : safeAddress(href), href === "https:/\\evil" ? null : want, href)
  assert.equal(safePicture("data:image/svg+xml;base64,aGk="), null)
  assert.equal(safePicture("data:image/png;base64," + "a".repeat(400_000)), null)
  assert.equal(disguised("https://bank.example/login", "https://evil.invalid/"), "evil.invalid")
  assert.equal(disguised("www.bank.example", "https://bank.example/"), "")
  assert.equal(disguised("see file.ts here", "https://e.invalid/"), "")
})

test("pieces are the whole text, cut between blocks", () => {
  const text = Array.from({ length: 400 }, (_, n) => (n % 7 ? `Paragraph ${n} with some words in it, and then some more.\n\n` : "```\ncode\n\nmore\n```\n\n")).join("")
  const pieces = inTextPieces(text)
  assert.equal(pieces.map(p => p.text).join(""), text)
  assert.ok(pieces.length > 3 && pieces.every(p => !p.plain))
  for (const { text } of pieces) assert.equal((text.match(/```/g)?.length ?? 0) % 2, 0, "a fence is cut")
})

const huge: Record<string, string> = {
  "a line of a megabyte": "word ".repeat(200_000),
  "a megabyte without a space": "x".repeat(1_000_000),
  "100,000 items": "- item\n".repeat(100_000),
  "emphasis": "*a **b ".repeat(20_000),
  "unclosed emphasis": "*".repeat(50_000) + "a",
  "underscores": "_a ".repeat(30_000),
  "brackets": "[".repeat(50_000),
  "links in links": "[a](".repeat(20_000),
  "pictures in pictures": "![".repeat(20_000),
  "quotations": ">".repeat(30_000) + "a",
  "quotations with spaces": "> ".repeat(10_000) + "a",
  "lists in lists": "- ".repeat(10_000) + "a",
  "numbers in numbers": "1. ".repeat(10_000) + "a",
  "deeper and deeper": Array.from({ length: 600 }, (_, n) => " ".repeat(2 * n) + "- a").join("\n"),
  "ticks": Array.from({ length: 700 }, (_, n) => "`".repeat(n % 60)).join(" a "),
  "comments": "<!--".repeat(20_000),
  "entities": "&".repeat(50_000),
  "definitions": Array.from({ length: 20_000 }, (_, n) => `[a${n}]: x`).join("\n"),
  "a table with many columns": `${"|a".repeat(3000)}|\n${"|-".repeat(3000)}|\n${(`${"|b".repeat(3000)}|\n`).repeat(20)}`,
  "a table with many rows": `|a|b|\n|-|-|\n${"|c|d|\n".repeat(30_000)}`,
  "addresses": "https://a.b/c ".repeat(20_000),
  "names of mail": "a@b.c".repeat(20_000),
  "tildes": "~~a ".repeat(20_000),
  "footnotes": "[^a] ".repeat(10_000) + "\n\n[^a]: x",
  "empty lines": "\n".repeat(300_000),
  "tabs": "\t".repeat(300_000) + "x",
  "citations": "[1] ".repeat(50_000),
}
// The same, as long as what is still taken for Markdown.
for (const [name, text] of Object.entries(huge)) for (const marks of [7_900, 15_900]) huge[`${name}, the first ${marks}`] = text.slice(0, marks)

test("no text freezes the page", { timeout: 120_000 }, () => {
  page("warm *up*")
  const slow: string[] = []
  for (const [name, text] of Object.entries(huge)) {
    const start = performance.now()
    const div = page(text, new Map([[1, "x"]]))
    const millis = performance.now() - start
    if (process.env.KJ_TIMES) console.log(name, Math.round(millis), "ms", div.querySelectorAll("*").length, "elements")
    if (millis > 5000) slow.push(`${name}: ${Math.round(millis)} ms`)
    assert.deepEqual(foul(div), [], name)
  }
  expect(slow).toEqual([])
})
