import * as A from "@automerge/automerge/slim"
import { expect, it } from "vitest"
import { indent, insert, moveBy, setFlag, setTitle } from "../core/edits"
import { ContextModel } from "../core/model"
import type { ContextDoc } from "../core/schema"
import { contextOf } from "../core/testing/contexts"
import { OwnWork } from "./own-work"

/** A context with one's own work in it watched; `turn` ends a turn of the page, `rest` a pause. */
function working(...texts: string[]) {
  const { handle, ids } = contextOf(...texts)
  const model = new ContextModel(handle)
  let time = 0
  const work = new OwnWork(handle, () => time)
  const path = (id: string) => [...model.block(id)!.path, "text"]
  return {
    model,
    ids,
    work,
    turn: () => Promise.resolve(),
    rest: async () => ((time += 5000), await Promise.resolve()),
    async type(id: string, at: number, del: number, ins = "") {
      handle.change(doc => A.splice(doc, path(id), at, del, ins))
      time += 100
      await Promise.resolve()
    },
    theirs(id: string, at: number, del: number, ins = "") {
      const theirs = A.change(A.clone(handle.doc() as A.Doc<ContextDoc>), doc => A.splice(doc, path(id), at, del, ins))
      handle.update(doc => A.merge(doc, theirs))
    },
    texts: () => model.rows.map(row => model.block(row.id)!.content),
    messages: () => A.getChangesMetaSince(handle.doc() as A.Doc<ContextDoc>, []).map(c => c.message),
  }
}

it("goes back step by step, and forward again", async () => {
  const { model, work, rest, type, texts } = working("a")
  const one = insert(model, { text: "one" })!
  await rest()
  insert(model, { text: "two" })
  await rest()
  for (const [n, c] of [..."!?"].entries()) await type(one, 3 + n, 0, c)
  expect(texts()).toEqual(["a", "one!?", "two"])
  expect(work.undo(model)?.what).toBe("typing")
  expect(texts()).toEqual(["a", "one", "two"])
  work.undo(model)
  expect(texts()).toEqual(["a", "one"])
  expect(work.undo(model)?.what).toBe("new block")
  expect(texts()).toEqual(["a"])
  expect(work.undo(model)).toBeNull()
  for (const want of [["a", "one"], ["a", "one", "two"], ["a", "one!?", "two"]]) {
    work.redo(model)
    expect(texts()).toEqual(want)
  }
  expect(work.redo(model)).toBeNull()
  work.undo(model)
  expect(texts()).toEqual(["a", "one", "two"])
})

it("takes typing as one piece until a pause, another text or a paste", async () => {
  const { ids, work, model, rest, type, texts } = working("", "")
  for (const [n, c] of [..."abc"].entries()) await type(ids[0]!, n, 0, c)
  await rest()
  for (const [n, c] of [..."def"].entries()) await type(ids[0]!, 3 + n, 0, c)
  await type(ids[1]!, 0, 0, "x")
  await type(ids[1]!, 1, 0, "p".repeat(50))
  for (const want of [["abcdef", "x"], ["abcdef", ""], ["abc", ""], ["", ""]]) {
    work.undo(model)
    expect(texts()).toEqual(want)
  }
})

it("brings back what was deleted in any direction, in its order", async () => {
  const { ids, work, model, rest, type, texts } = working("abcdef")
  await type(ids[0]!, 2, 1) // forward
  await type(ids[0]!, 2, 1)
  await rest()
  await type(ids[0]!, 1, 1) // backward
  await type(ids[0]!, 0, 1)
  expect(texts()).toEqual(["ef"])
  work.undo(model)
  work.undo(model)
  expect(texts()).toEqual(["abcdef"])
})

it("keeps what others wrote meanwhile, also inside of the same text", async () => {
  const { ids, work, model, type, theirs, texts } = working("one three")
  await type(ids[0]!, 4, 0, "two ")
  theirs(ids[0]!, 6, 0, "THEIRS")
  theirs(ids[0]!, 0, 0, "zero ")
  expect(texts()).toEqual(["zero one twTHEIRSo three"])
  work.undo(model)
  expect(texts()).toEqual(["zero one THEIRSthree"])
  work.redo(model)
  expect(texts()[0]).toContain("THEIRS")
  expect(texts()[0]!.replace("THEIRS", "")).toBe("zero one two three")
})

it("leaves a block that others have written in", async () => {
  const { work, model, turn, theirs, texts } = working("a")
  const made = insert(model, { text: "mine" })!
  await turn()
  theirs(made, 4, 0, " theirs")
  expect(work.undo(model)).toBeNull()
  expect(texts()).toEqual(["a", "mine theirs"])
})

it("takes back moves, flags and titles, unless somebody else has turned them since", async () => {
  const { ids, work, model, rest, texts } = working("a", "b", "c")
  moveBy(model, [ids[2]!], -1)
  await rest()
  indent(model, [ids[1]!])
  await rest()
  setFlag(model, [ids[0]!], "excluded", true)
  await rest()
  setTitle(model, "Other")
  await rest()
  setFlag(model, [ids[0]!], "deleted", true)
  expect(texts()).not.toContain("a")
  expect(work.undo(model)?.what).toBe("deleting")
  expect(work.undo(model)?.what).toBe("the title")
  expect(model.title).toBe("T")
  work.undo(model)
  expect(model.block(ids[0]!)!.excluded).toBe(false)
  work.undo(model)
  expect(model.parentOf(ids[1]!)).toBe("")
  expect(texts()).toEqual(["a", "c", "b"])
  work.undo(model)
  expect(texts()).toEqual(["a", "b", "c"])
  for (let n = 0; n < 5; n++) work.redo(model)
  expect(model.title).toBe("Other")
  expect(texts()).toEqual(["c", "b"])
})

it("is known to others as undos, by what the changes say", async () => {
  const { ids, work, model, type, messages } = working("a")
  await type(ids[0]!, 1, 0, "b")
  const [typed] = model.heads()
  work.undo(model)
  expect(messages().at(-1)).toBe(`op:undo ${typed}`)
  const [undone] = model.heads()
  work.redo(model)
  expect(messages().at(-1)).toBe(`op:undo ${undone}`)
})

it("forgets what could be brought back when something new is done, and passes over what did nothing", async () => {
  const { ids, work, model, rest, type, texts } = working("a")
  await type(ids[0]!, 1, 0, "b")
  work.undo(model)
  await rest()
  await type(ids[0]!, 1, 0, "c")
  expect(work.redo(model)).toBeNull()
  await rest()
  await type(ids[0]!, 2, 0, "d")
  await type(ids[0]!, 2, 1)
  work.undo(model)
  expect(texts()).toEqual(["a"])
})
