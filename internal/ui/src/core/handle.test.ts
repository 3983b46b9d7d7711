import assert from "node:assert/strict"
import { test } from "vitest"
import { citeAddress, decoded, handleIn, linesOf, parseHandle, piecesOf } from "./handle"

const context = "0198c0de-1111-7000-8000-00000000000a"
const block = "0198c0de-2222-7000-8000-00000000000b"
const heads = "9f2c41d0".repeat(8)

test("handles are read", () => {
  const cases: [string, string, unknown[] | null][] = [
    ["canonical", `${context}/${block}@${heads}#3-7`, ["", context, [heads], 3, 7]],
    ["another kernel", `lab:${context}/${block}@${heads}#3`, ["lab", context, [heads], 3, 3]],
    ["now, the whole block", `${context}/${block}`, ["", context, [], 0, 0]],
    ["lines as on GitHub", `plan/${block}#L3-L7`, ["", "plan", [], 3, 7]],
    ["a title with everything in it", `a/b@c#d/${block}@9f2c41d0,aaaaaaaa`, ["", "a/b@c#d", ["9f2c41d0", "aaaaaaaa"], 0, 0]],
    ["a title with a colon", `:Plan: B/${block}`, ["", "Plan: B", [], 0, 0]],
    ["a title that looks like a kernel", `plan: B/${block}`, ["", "plan: B", [], 0, 0]],
    ["a URL", `automerge:2j9/${block}`, ["", "automerge:2j9", [], 0, 0]],
    ["no block", `${context}/plan`, null],
    ["no context", `/${block}`, null],
    ["line 0", `plan/${block}#0`, null],
    ["backwards", `plan/${block}#7-3`, null],
    ["short heads", `plan/${block}@9f2c41d`, null],
    ["half a character", `a\ud83d/${block}`, null],
    ["too long", `${"a".repeat(9000)}/${block}`, null],
  ]
  for (const [name, text, want] of cases) {
    const h = parseHandle(text)
    assert.deepEqual(h && [h.kernel, h.context, h.heads, h.first, h.last], want, name)
    assert.equal(h?.block ?? block, block, name)
  }
})

test("texts are cut at what cites", () => {
  const handle = `${context}/${block}@${heads}#3-7`
  const refs = new Map([[1, "one"]])
  const marked = (text: string) => {
    const pieces = piecesOf(text, refs)
    assert.equal(pieces.map(p => p.text).join(""), text)
    return pieces.map(p => (p.handle === undefined ? p.text : `<${p.handle === handle ? "handle" : p.handle}>`)).join("")
  }
  const cases: [string, string, string][] = [
    ["nothing", "", ""],
    ["plain", "a [b] c/d", "a [b] c/d"],
    ["numbers that are citations", "so [1], not [2] [01]", "so <one>, not [2] <one>"],
    ["a bare handle", `see ${handle}.`, "see <handle>."],
    ["a bare handle of another kernel", `see lab:${handle}`, `see <lab:${handle}>`],
    ["with a colon behind it", `${handle}: so`, "<handle>: so"],
    ["part of a longer word", `x${handle} ${handle}é https://a/${handle}`, `x${handle} ${handle}é https://a/${handle}`],
    ["in brackets", `[[release plan/${block}#3]] [[no handle]]`, `<release plan/${block}#3> [[no handle]]`],
    ["markup stays text", `<b>[1]</b>`, "<b><one></b>"],
  ]
  for (const [name, text, want] of cases) assert.equal(marked(text), want, name)
})

test("a text of a megabyte is cut in no time", () => {
  const began = performance.now()
  piecesOf("a-0-b-c[1] ".repeat(100_000), new Map())
  piecesOf("[".repeat(1_000_000) + "[1]", new Map())
  piecesOf("0198c0de-1111-".repeat(80_000) + "[1]", new Map())
  piecesOf("abcdefghijklmnopqrstuvwxyz-01234:".repeat(30_000) + "[1]", new Map())
  assert.ok(performance.now() - began < 3000, `${performance.now() - began} ms`)
})

test("the address of a citation gives its handle back", () => {
  for (const handle of [`${context}/${block}@${heads}#3-7`, `100 % "é😀" <b>/${block}#3`, `a?b&c/${block}`]) {
    const address = citeAddress(handle)
    assert.match(address, /^#\/cite\/[^#\s<>"]+$/, handle)
    assert.equal(handleIn(address.slice(1)), handle)
  }
  assert.equal(handleIn(`/cite/plan/${block}#3`), `plan/${block}#3`)
  assert.equal(handleIn("automerge:2j9"), null)
  assert.equal(decoded("100 %"), "100 %")
})

test("lines are said in words", () => {
  assert.deepEqual([linesOf({}), linesOf({ first: 3, last: 3 }), linesOf({ first: 3, last: 7 })], ["the whole block", "line 3", "lines 3–7"])
})
