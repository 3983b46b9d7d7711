import * as A from "@automerge/automerge/slim"
import { expect, it } from "vitest"
import { ContextModel } from "../core/model"
import type { ContextDoc } from "../core/schema"
import { contextOf } from "../core/testing/contexts"
import { changedSince, madeIn, revert } from "./revert"

/** A context with one text, and how somebody else writes to it. */
function shared(text: string) {
  const { handle, ids } = contextOf(text)
  const model = new ContextModel(handle)
  const id = ids[0]!
  const path = [...model.block(id)!.path]
  const other = (write: (doc: ContextDoc) => void): string => {
    const theirs = A.change(A.clone(handle.doc() as A.Doc<ContextDoc>), write)
    handle.update(doc => A.merge(doc, theirs))
    return A.getHeads(theirs)[0]!
  }
  return { model, handle, id, text: [...path, "text"], path, other, read: () => model.block(id)!.content }
}

it("takes back what somebody wrote, and keeps what others wrote around and inside it", () => {
  const { model, handle, text, other, read } = shared("one three")
  const change = other(doc => A.splice(doc, text, 4, 0, "two two "))
  handle.change(doc => A.splice(doc, text, 7, 0, "MINE"))
  handle.change(doc => A.splice(doc, text, 0, 0, "zero "))
  expect(read()).toBe("zero one twoMINE two three")
  expect(revert(model, [change])).toBeGreaterThan(0)
  expect(read()).toBe("zero one MINEthree")
})

it("brings back what somebody took", () => {
  const { model, handle, text, other, read } = shared("keep this word here")
  const change = other(doc => A.splice(doc, text, 5, 5))
  handle.change(doc => A.splice(doc, text, 0, 4, "Keep"))
  revert(model, [change])
  expect(read()).toBe("Keep this word here")
})

it("takes back flags and new blocks, and not what somebody changed since", () => {
  const { model, handle, id, path, other } = shared("text")
  const raw = (doc: ContextDoc) => doc.pages[path[1] as string]![id]!
  const change = other(doc => void (raw(doc).excluded = true))
  expect(revert(model, [change])).toBe(1)
  expect(model.block(id)!.excluded).toBe(false)
  handle.change(doc => void (raw(doc).excluded = false))
  expect(revert(model, [change])).toBe(0)
  const first = madeIn(model)[1]! // behind the one that made the context
  expect(revert(model, [first.hash])).toBe(1)
  expect(model.block(id)!.deleted).toBe(true)
})

it("is taken back itself, which brings all of it back", () => {
  const { model, text, other, read } = shared("a")
  const change = other(doc => A.splice(doc, text, 1, 0, " and b"))
  const before = model.heads()
  revert(model, [change])
  expect(read()).toBe("a")
  revert(model, changedSince(model, before))
  expect(read()).toBe("a and b")
})

it("does nothing for a change that nobody knows", () => {
  const { model } = shared("a")
  expect(revert(model, ["00".repeat(32)])).toBe(0)
})
