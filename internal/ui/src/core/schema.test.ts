import assert from "node:assert/strict"
import { test } from "vitest"
import * as A from "@automerge/automerge/slim"
import { toMarkdown } from "./markdown"
import { emptyContext as context, putTextBlock } from "./testing/contexts"
import { isBlock, isContext, madeAt, newBlockID, pageOf, rawBlocks, readBlock, type RawBlock } from "./schema"

test("a new text block reads back, its strings being scalars", () => {
  const id = newBlockID()
  const doc = A.change(context(), d => putTextBlock(d, id, { parent: "", low: "", high: null }, "hello é😀"))
  assert.ok(isContext(doc))
  const found = [...rawBlocks(doc)]
  assert.equal(found.length, 1)
  const [page, key, raw] = found[0]!
  assert.deepEqual([page, key], [pageOf(id), id])
  for (const field of ["kind", "role", "status", "order"] as const) assert.ok(A.isImmutableString(raw[field]), field)
  const read = readBlock(key, raw)
  assert.deepEqual([read.kind, read.role, read.status, read.form, read.content, read.parent, read.deleted], ["text", "user", "done", "text", "hello é😀", "", false])
})

test("content is text, else body, else chunks", () => {
  const s = (text: string) => new A.ImmutableString(text)
  const raw = (fields: object) => readBlock("x", { kind: s("text"), role: s("user"), order: s("a"), ...fields } as RawBlock)
  assert.deepEqual([raw({ text: "t", body: s("b"), chunks: [s("c")] }).content, raw({ body: s("b"), chunks: [s("c")] }).content, raw({ chunks: [s("c"), s("d")] }).content, raw({}).content], ["t", "b", "cd", ""])
  assert.equal(raw({ text: "" }).form, "text")
})

test("nonsense reads as defaults", () => {
  const read = readBlock("x", { kind: 7, role: null, order: [], parent: {}, status: true, body: 5, deleted: "yes" } as unknown as RawBlock)
  assert.deepEqual([read.kind, read.role, read.order, read.parent, read.status, read.content, read.deleted], ["text", "user", "", "", "done", "", false])
})

test("what is on the wrong page or has no UUID is no block", () => {
  const id = newBlockID()
  const wrong = pageOf(id) === "00" ? "01" : "00"
  assert.ok(isBlock(pageOf(id), id, {}))
  for (const [page, key, raw] of [[wrong, id, {}], [pageOf("name"), "name", {}], [pageOf(id), id, "text"], [pageOf(id), id, null]] as const) assert.ok(!isBlock(page, key, raw), `${page} ${key}`)
})

test("a late running does not beat done", () => {
  const id = newBlockID()
  const s = (text: string) => new A.ImmutableString(text)
  const made = A.change(context(), d => putTextBlock(d, id, { parent: "", low: "", high: null }, ""))
  const base = A.change(made, d => void (d.pages[pageOf(id)]![id]!.status = s("pending")))
  for (let n = 0; n < 8; n++) {
    // Both orders of the two actors.
    const fork = (status: string) => A.change(A.clone(base), d => void (d.pages[pageOf(id)]![id]!.status = s(status)))
    const doc = A.merge(fork("running"), fork("done"))
    assert.equal(readBlock(id, doc.pages[pageOf(id)]![id]!).status, "done")
  }
})

test("ids tell when a block was made", () => {
  const now = Date.UTC(2031, 4, 6, 7, 8, 9, 123)
  const id = newBlockID(now)
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(madeAt(id), now)
  assert.equal(madeAt("6ba7b810-9dad-41d1-80b4-00c04fd430c8"), null)
})

test("words that every object has are kinds and statuses like others", () => {
  for (const word of ["__proto__", "constructor", "toString"]) {
    const read = readBlock(newBlockID(), { kind: word, role: word, order: "a0", status: word, text: "x" })
    assert.deepEqual([read.kind, read.status], [word, "done"])
    assert.equal(toMarkdown([read]), "> x\n")
  }
})
