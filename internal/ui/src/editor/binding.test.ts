// @vitest-environment jsdom
import assert from "node:assert/strict"
import * as A from "@automerge/automerge/slim"
import { history, redo, undo } from "@codemirror/commands"
import { EditorState } from "@codemirror/state"
import { EditorView } from "@codemirror/view"
import { afterEach, beforeAll, expect, test } from "vitest"
import { bind } from "./binding"
import { maxPiece, textAt } from "./bound"
import { measurable, pair, together, until, type Pair } from "./testing/pair"

const path = ["pages", "00", "b", "text"]
const closing: (() => void)[] = []
beforeAll(measurable)
afterEach(() => closing.splice(0).forEach(fn => fn()))

async function two(text: string): Promise<Pair> {
  const both = await pair({ title: "T", pages: { "00": { b: { text }, c: { text: "other" } } } })
  closing.push(both.close)
  return both
}

async function viewOf(handle: Pair["amy"], onGone = () => {}, at = path): Promise<EditorView> {
  const { text, extension } = bind(handle, at, onGone)!
  const view = new EditorView({ state: EditorState.create({ doc: text, extensions: [extension, history()] }), parent: document.body })
  closing.push(() => view.destroy())
  await Promise.resolve()
  return view
}

const type = (view: EditorView, at: number, insert: string, to = at) =>
  view.dispatch({ changes: { from: at, to, insert: view.state.toText(insert) }, selection: { anchor: at + insert.length }, userEvent: "input.type" })
const splice = (handle: Pair["amy"], at: number, del: number, ins = "") => handle.change(d => A.splice(d, [...path], at, del, ins))
const shown = (view: EditorView) => view.state.sliceDoc()
const textOf = (handle: Pair["amy"]) => textAt(handle.doc(), path)

test("words go both ways, and carets stay at theirs", async () => {
  const both = await two("hello world")
  const [a, b] = [await viewOf(both.amy), await viewOf(both.ben)]
  b.dispatch({ selection: { anchor: 6, head: 11 } })
  type(a, 5, " dear")
  await until(() => shown(b) === "hello dear world", "amy's word at ben")
  const { anchor, head } = b.state.selection.main
  assert.equal(b.state.sliceDoc(anchor, head), "world", "ben's selection")
  type(b, 16, "!")
  await until(() => shown(a) === "hello dear world!", "ben's mark at amy")
  assert.equal(a.state.selection.main.head, 10, "amy's caret")
})

test("undo takes back one's own words only", async () => {
  const both = await two("begin end")
  const [a, b] = [await viewOf(both.amy), await viewOf(both.ben)]
  type(a, 5, " mine")
  await together(both)
  type(b, 8, "THEIRS") // within amy's word
  type(b, 0, "First ")
  await until(() => shown(a) === "First begin miTHEIRSne end", "ben's words")
  undo(a)
  assert.equal(shown(a), "First beginTHEIRS end", "after undo")
  assert.equal(undo(a), false, "nothing of amy's is left to undo")
  redo(a)
  assert.equal(shown(a).replace("THEIRS", ""), "First begin mine end", "after redo")
  await together(both)
  assert.equal(shown(b), shown(a))
  undo(b)
  undo(b)
  await together(both)
  assert.equal(shown(a), "begin mine end", "after ben's undo")
})

test("a change elsewhere in the document does not touch the view", async () => {
  const both = await two("quiet")
  const view = await viewOf(both.amy)
  const state = view.state
  both.ben.change(d => A.splice(d, ["pages", "00", "c", "text"], 0, 0, "x"))
  both.ben.change(d => A.updateText(d, ["title"], "New"))
  await together(both)
  assert.equal(view.state, state)
  splice(both.ben, 0, 0, "not ")
  await until(() => shown(view) === "not quiet", "the word")
})

test("many edits at once are one update of the view", async () => {
  const both = await two("0123456789".repeat(10))
  const view = await viewOf(both.amy)
  view.dispatch({ selection: { anchor: 50 } })
  both.ben.change(d => {
    for (let n = 0; n < 60; n++) A.splice(d, [...path], (n * 7) % 90, n % 3, `<${n}>`)
  })
  await together(both)
  assert.equal(shown(view), textOf(both.amy))
})

test("what is no text any more is told, and typing into it harms nothing", async () => {
  for (const [what, lose] of Object.entries<(d: any) => void>({
    "the text is taken away": d => void delete d.pages["00"].b.text,
    "it becomes a number": d => void (d.pages["00"].b.text = 7),
    "the block is taken away": d => void delete d.pages["00"].b,
    "the page becomes a list": d => void (d.pages["00"] = [1]),
  })) {
    const both = await two("there")
    let gone = 0
    const view = await viewOf(both.amy, () => gone++)
    both.ben.change(lose)
    await together(both)
    await until(() => gone > 0, what)
    type(view, 0, "x")
    assert.equal(textOf(both.amy), null, what)
    assert.equal(shown(view), "there", what)
  }
})

test("a text that is replaced by another shows, and is written on", async () => {
  const both = await two("old words")
  const view = await viewOf(both.amy)
  both.ben.change(d => void (d.pages["00"].b.text = "new"))
  await until(() => shown(view) === "new", "the new text")
  both.ben.change(d => void (d.pages["00"].b = { text: "newer block" }))
  await until(() => shown(view) === "newer block", "the new block")
  type(view, 0, "the ")
  assert.equal(textOf(both.amy), "the newer block")
  await together(both)
  assert.equal(textOf(both.ben), "the newer block")
})

test("carriage returns, halves of characters and foreign objects do not shift what is typed", async () => {
  const both = await two("one\r\ntwo\rthree 😀😀")
  const view = await viewOf(both.amy)
  type(view, 5, "2: ")
  assert.equal(textOf(both.amy), "one\r\n2: two\rthree 😀😀")
  const face = shown(view).indexOf("😀")
  view.dispatch({ changes: { from: face + 1, to: face + 2 } })
  assert.equal(shown(view), textOf(both.amy))
  type(view, shown(view).length, "a\ud83db")
  assert.equal(shown(view), textOf(both.amy))
  both.ben.change(d => A.splitBlock(d, [...path], 3, { type: "paragraph" }))
  await together(both)
  await until(() => shown(view) === textOf(both.amy), "the marker")
  type(view, shown(view).length, "end")
  assert.equal(shown(view), textOf(both.amy))
})

test("a big paste goes in as several changes, and out again with one undo", { timeout: 60_000 }, async () => {
  const both = await two("")
  const view = await viewOf(both.amy)
  const before = A.getAllChanges(both.amy.doc()).length
  type(view, 0, "0123456789\n".repeat(maxPiece / 10))
  const changes = A.getAllChanges(both.amy.doc()).slice(before).map(c => A.decodeChange(c).ops.length)
  expect(changes.length).toBe(2)
  expect(Math.max(...changes)).toBeLessThanOrEqual(maxPiece)
  undo(view)
  assert.equal(textOf(both.amy), "")
})

test("two views of one text in one page keep in step, and one that was closed is left alone", async () => {
  const both = await two("x")
  const [a, b] = [await viewOf(both.amy), await viewOf(both.amy)]
  type(a, 1, "y")
  assert.equal(shown(b), "xy")
  b.destroy()
  type(a, 2, "z")
  splice(both.ben, 0, 0, "w")
  await together(both)
  assert.equal(shown(a), textOf(both.amy))
})

test("a change made while another is being told arrives", async () => {
  const both = await two("ab")
  const view = await viewOf(both.amy)
  both.amy.on("change", () => textOf(both.amy)!.endsWith("!") || splice(both.amy, textOf(both.amy)!.length, 0, "!"))
  splice(both.amy, 0, 0, "0")
  assert.equal(shown(view), "0ab!")
  type(view, 1, "1")
  await until(() => shown(view) === textOf(both.amy), "the same")
})
