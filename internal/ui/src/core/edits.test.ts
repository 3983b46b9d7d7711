import assert from "node:assert/strict"
import { afterEach, beforeEach, test } from "vitest"
import { indent, insert, merge, move, moveBy, onUnfit, outdent, replaceText, setFlag, setTitle, split } from "./edits"
import { ContextModel } from "./model"
import { newBlockID } from "./schema"
import { chance, contextOf, putRaw, str } from "./testing/contexts"

/** The list as text: a line for each block, indented. */
const list = (model: ContextModel) => model.rows.map(row => "-".repeat(row.depth) + model.block(row.id)!.content)

function open(...texts: string[]) {
  const { handle, ids } = contextOf(...texts)
  return { model: new ContextModel(handle), ids, handle }
}

const refused: string[] = []
let stop = () => {}
beforeEach(() => void (stop = onUnfit(why => refused.push(why.message))))
afterEach(() => {
  stop()
  refused.length = 0
})

test("blocks are put where they are wanted", () => {
  const { model, ids } = open("a", "b")
  insert(model, { text: "last" })
  insert(model, { after: null, text: "first" })
  const under = insert(model, { parent: ids[0]!, text: "below a" })!
  insert(model, { after: under, text: "also", kind: "comment", role: "user" })
  assert.deepEqual(list(model), ["first", "a", "-below a", "-also", "b", "last"])
  assert.deepEqual([model.block(under)?.kind, model.block(under)?.role, model.block(under)?.status, model.block(under)?.form], ["text", "user", "done", "text"])
})

test("a long text is put in pieces", () => {
  const { model } = open()
  const text = "é😀".repeat(40_000)
  const id = insert(model, { text })!
  assert.equal(model.block(id)?.content, text)
})

test("a text is cut in two and put together again", () => {
  const { model, ids } = open("hello 😀 world", "end")
  const made = split(model, ids[0]!, 7)! // within the pair
  assert.deepEqual(list(model), ["hello ", "😀 world", "end"])
  indent(model, [ids[1]!])
  assert.deepEqual(list(model), ["hello ", "😀 world", "-end"])
  assert.deepEqual(merge(model, made), { into: ids[0], at: 6 })
  assert.deepEqual(list(model), ["hello 😀 world", "-end"])
  assert.equal(merge(model, ids[0]!), null)
  assert.deepEqual(refused, [])
})

test("what is no text, or of another kind, is not merged", () => {
  const { model, ids, handle } = open("a", "b")
  const id = newBlockID()
  handle.change(doc => putRaw(doc, id, { kind: str("tool_call"), order: str("Zz"), body: str("{}") }))
  assert.equal(merge(model, ids[0]!), null)
  assert.equal(split(model, id, 1), null)
  assert.equal(replaceText(model, id, "x"), false)
  assert.equal(refused.length, 3)
  assert.deepEqual(list(model), ["{}", "a", "b"])
})

test("blocks move together, in the order in which they show", () => {
  const { model, ids } = open("a", "b", "c", "d", "e")
  const [a, b, c, d, e] = ids as [string, string, string, string, string]
  move(model, [d, b], { parent: "", after: null })
  assert.deepEqual(list(model), ["b", "d", "a", "c", "e"])
  move(model, [b, d], { parent: e, after: undefined })
  assert.deepEqual(list(model), ["a", "c", "e", "-b", "-d"])
  moveBy(model, [b], 1)
  assert.deepEqual(list(model), ["a", "c", "e", "-d", "-b"])
  assert.equal(moveBy(model, [b], 1), false)
  moveBy(model, [c, e], -1)
  assert.deepEqual(list(model), ["c", "e", "-d", "-b", "a"])
  assert.equal(moveBy(model, [c], -1), false)
  move(model, [e, d], { parent: "", after: a })
  assert.deepEqual(list(model), ["c", "a", "e", "-d", "-b"])
  assert.equal(move(model, [e], { parent: b, after: null }), false)
  assert.deepEqual(refused, ["A block cannot stand below itself."])
})

test("blocks are indented and outdented", () => {
  const { model, ids } = open("a", "b", "c", "d")
  const [a, b, c, d] = ids as [string, string, string, string]
  assert.equal(indent(model, [a]), false)
  indent(model, [b, c])
  assert.deepEqual(list(model), ["a", "-b", "-c", "d"])
  setFlag(model, [a], "collapsed", true)
  assert.deepEqual(list(model), ["a", "d"])
  indent(model, [d]) // what it hangs below unfolds
  assert.deepEqual(list(model), ["a", "-b", "-c", "-d"])
  outdent(model, [c, d])
  assert.deepEqual(list(model), ["a", "-b", "c", "d"])
  assert.equal(outdent(model, [a]), false)
})

test("results stay with their call, in front of what else hangs there", () => {
  const { model, ids, handle } = open("a")
  const [call, result] = [newBlockID(), newBlockID()]
  handle.change(doc => {
    putRaw(doc, call, { kind: str("tool_call"), order: str("zz"), body: str("call") })
    putRaw(doc, result, { kind: str("tool_result"), order: str("a0"), parent: str(call), body: str("result") })
  })
  move(model, ids, { parent: call, after: null })
  assert.deepEqual(list(model), ["call", "-result", "-a"])
  insert(model, { parent: call, after: null, text: "note" })
  assert.deepEqual(list(model), ["call", "-result", "-note", "-a"])
  move(model, [result], { parent: call, after: ids[0]! })
  assert.deepEqual(list(model), ["call", "-result", "-note", "-a"])
  assert.equal(outdent(model, [result]), false)
  assert.deepEqual(refused, ["A result stays with its call."])
})

test("deleting and restoring", () => {
  const { model, ids } = open("a", "b")
  setFlag(model, ids, "deleted", true)
  assert.deepEqual([list(model), model.deleted().length], [[], 2])
  setFlag(model, [ids[1]!], "deleted", false)
  assert.deepEqual(list(model), ["b"])
  assert.equal(setFlag(model, [ids[1]!], "deleted", false), false)
})

test("titles and texts are replaced by their difference", () => {
  const { model, ids, handle } = open("the plan is good")
  replaceText(model, ids[0]!, "the plan was good")
  setTitle(model, "A\nnew title")
  assert.deepEqual([model.block(ids[0]!)?.content, model.title], ["the plan was good", "A new title"])
  handle.change(doc => void ((doc as { title: unknown }).title = str("scalar")))
  assert.equal(model.title, "scalar")
  setTitle(model, "text")
  assert.equal(model.title, "text")
})

test("blocks with one and the same key can be moved apart", () => {
  const { model, handle } = open()
  const ids = Array.from({ length: 3 }, () => newBlockID()).sort()
  handle.change(doc => ids.forEach((id, n) => putRaw(doc, id, { order: str("a0"), text: String(n) })))
  move(model, [ids[2]!], { parent: "", after: null })
  move(model, [ids[0]!], { parent: "" })
  assert.deepEqual(list(model), ["2", "1", "0"])
})

test("any moves keep every block, and the tree a tree", () => {
  for (let seed = 1; seed <= 10; seed++) {
    const random = chance(seed)
    const { model, ids } = open("a", "b", "c", "d", "e", "f")
    const pick = () => ids.filter(() => random(3) === 0)
    for (let round = 0; round < 30; round++) {
      const acts = [() => indent(model, pick()), () => outdent(model, pick()), () => moveBy(model, pick(), random(2) ? 1 : -1), () => move(model, pick(), { parent: random(3) ? ids[random(6)]! : "", after: [null, undefined, ids[random(6)]!][random(3)] })]
      acts[random(4)]!()
      assert.deepEqual(model.rows.map(r => r.id).sort(), [...ids].sort(), `seed ${seed}, round ${round}`)
    }
  }
})
