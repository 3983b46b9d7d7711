import * as A from "@automerge/automerge/slim"
import { expect, it } from "vitest"
import { actors } from "../core/actors"
import { setFlag } from "../core/edits"
import { ContextModel } from "../core/model"
import { pageOf, type ContextDoc } from "../core/schema"
import { contextOf } from "../core/testing/contexts"
import { deleterOf } from "./deleter"
import { writersIn } from "./useWriters"
import { ViewState } from "./view-state"

const ben = "be".repeat(16)

it("tells who deleted a block, also when others wrote since", async () => {
  const { handle, ids } = contextOf("one", "two")
  const model = new ContextModel(handle)
  actors.note(ben, "ben")
  let theirs = A.clone(handle.doc() as A.Doc<ContextDoc>, { actor: ben })
  theirs = A.change(theirs, doc => void (doc.pages[pageOf(ids[0]!)]![ids[0]!]!.deleted = true))
  theirs = A.change(A.clone(theirs), doc => A.splice(doc, [...model.block(ids[1]!)!.path, "text"], 0, 0, "x"))
  handle.update(doc => A.merge(doc, theirs))
  expect(await deleterOf(model, ids[0]!)).toBe("ben")
  setFlag(model, [ids[1]!], "deleted", true)
  expect(await deleterOf(model, ids[1]!)).toBeNull()
})

it("says which block lost the keyboard, and what stands in its place", () => {
  const state = new ViewState()
  const told: unknown[] = []
  state.onLost = (...what) => told.push(what)
  state.setOrder(["a", "b", "c"])
  state.selectOne("b")
  state.setOrder(["a", "c"])
  expect(told).toEqual([["b", "c", false]])
  state.edit({ id: "c", caret: "end" })
  state.setOrder(["a"])
  expect(told[1]).toEqual(["c", "a", true])
})

it("names those who wrote in a block, who wrote last first", () => {
  const entries = [{ author: "ben", actor: "1" }, { author: "amy", actor: "2" }, { author: "ben", actor: "3" }, { author: "", actor: "4" }, null]
  expect(writersIn({ entries })).toEqual([{ name: "ben", own: false }, { name: "amy", own: false }])
  expect(writersIn({ entries: 7 })).toEqual([])
  expect(writersIn(null)).toEqual([])
})
