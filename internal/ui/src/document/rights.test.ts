import { afterEach, expect, it, vi } from "vitest"
import { insert } from "../core/edits"
import { actors } from "../core/actors"
import { ContextModel } from "../core/model"
import { contextOf } from "../core/testing/contexts"
import { Actions, type Stage } from "./actions"
import { rightsOf, type Rights } from "./rights"
import { ViewState } from "./view-state"

afterEach(() => void vi.unstubAllGlobals())

const stage: Stage = { show() {}, announce() {}, push() {}, history() {}, toEnd() {}, saved: () => Promise.resolve() }

/** A context of two texts, and a comment that was made here, under some rights. */
function acting(rights: Rights) {
  vi.stubGlobal("requestAnimationFrame", (fn: () => void) => void fn())
  vi.stubGlobal("document", { activeElement: null, body: null })
  const { handle, ids } = contextOf("one", "two")
  const model = new ContextModel(handle)
  const comment = insert(model, { kind: "comment", text: "mine" })!
  const state = new ViewState()
  state.setOrder(model.rows.map(row => row.id))
  const act = new Actions(model, state, stage)
  act.rights = rights
  return { model, act, state, comment, one: ids[0]!, two: ids[1]! }
}

/** Everything that writes, with a block. */
const deeds: [string, (act: Actions, id: string) => unknown][] = [
  ["add below", (act, id) => act.addBelow(id)],
  ["insert", (act, id) => act.insertBehind(id, "new")],
  ["add at the end", act => act.addAtEnd("new")],
  ["duplicate", (act, id) => act.duplicate(id)],
  ["edit", (act, id) => act.edit(id)],
  ["split", (act, id) => act.split(id, 1)],
  ["merge", (act, id) => act.merge(id)],
  ["fold", (act, id) => act.toggle("collapsed", [id])],
  ["exclude", (act, id) => act.toggle("excluded", [id])],
  ["delete", (act, id) => act.remove([id])],
  ["indent", (act, id) => act.indent([id], 1)],
  ["move by one", (act, id) => act.moveBy([id], -1)],
  ["move", (act, id) => act.move([id], { parent: "", after: null })],
  ["turn", (act, id) => act.turn([id], "task")],
  ["tick", (act, id) => act.tick(id, false)],
  ["fold all", act => act.foldAll(true)],
  ["undo", act => act.undo()],
  ["redo", act => act.redo()],
]

it.each(deeds)("a reader does not %s", async (_, deed) => {
  const { model, act, state, two } = acting("read")
  const heads = model.heads()
  await deed(act, two)
  expect(model.heads()).toEqual(heads)
  expect(state.editing).toBeNull()
})

it.each(deeds.filter(([name]) => !/^(add|insert|undo|redo)/.test(name)))("a commenter does not %s what is no comment of theirs", async (_, deed) => {
  const { model, act, state, two } = acting("comment")
  const heads = model.heads()
  await deed(act, two)
  expect(model.heads()).toEqual(heads)
  expect(state.editing).toBeNull()
})

it("a commenter makes comments, and edits and deletes their own", async () => {
  const { model, act, state, comment, one } = acting("comment")
  actors.mine(model.block(comment)!.actor)
  const made = act.insertBehind(one, "a remark", { id: "task", label: "", hint: "", icon: null, kind: "task", text: "", status: "pending" })!
  expect(model.block(made)).toMatchObject({ kind: "comment", status: "done" })
  await act.edit(comment)
  expect(state.editing?.id).toBe(comment)
  act.remove([comment])
  expect(model.block(comment)!.deleted).toBe(true)
  act.restore([comment])
  expect(model.block(comment)!.deleted).toBe(false)
})

it("knows the roles", () => {
  expect(["none", "reader", "commenter", "editor", "owner", "king", undefined].map(rightsOf)).toEqual(["read", "read", "comment", "edit", "edit", null, null])
})
