// @vitest-environment jsdom
import type { KeyboardEvent } from "react"
import { expect, it } from "vitest"
import { ContextModel } from "../core/model"
import { contextOf } from "../core/testing/contexts"
import { Actions } from "./actions"
import type { Doc } from "./doc-context"
import { keyFromNowhere, listKey } from "./list-keys"
import { SeatBook } from "./seat-book"
import { ViewState } from "./view-state"

/** A list of texts with the keyboard on it, without a page around. */
function list(...texts: string[]) {
  const { handle, ids } = contextOf(...texts)
  const model = new ContextModel(handle)
  const state = new ViewState()
  const said: string[] = []
  const act = new Actions(model, state, { show: () => {}, announce: text => said.push(text), push: () => {}, history: () => {}, toEnd: () => {}, saved: async () => {} })
  let composed = 0
  const doc: Doc = { model, state, act, rights: "edit", seats: new SeatBook(), composer: () => void composed++ }
  const order = () => state.setOrder(model.rows.map(row => row.id))
  order()
  state.selectOne(ids[0]!)
  const press = (key: string, more: Partial<KeyboardEvent> = {}): boolean => {
    const row = document.createElement("article")
    row.dataset.row = state.selection.focus ?? ids[0]!
    let taken = false
    listKey({ key, target: row, nativeEvent: {}, preventDefault: () => (taken = true), stopPropagation: () => {}, ...more } as unknown as KeyboardEvent<HTMLElement>, doc)
    order()
    return taken
  }
  const show = () => model.rows.map(row => "-".repeat(row.depth) + model.block(row.id)!.content).join(" ")
  const selected = () => state.selected().map(id => model.block(id)!.content).join(" ")
  return { doc, press, show, selected, state, model, said, composed: () => composed }
}

it("steps, extends, and goes on to the composer behind the last", () => {
  const l = list("a", "b", "c")
  l.press("ArrowDown")
  expect(l.selected()).toBe("b")
  l.press("ArrowDown", { shiftKey: true })
  expect(l.selected()).toBe("b c")
  l.press("Home")
  expect(l.selected()).toBe("a")
  l.press("End")
  l.press("ArrowDown")
  expect(l.composed()).toBe(1)
})

it("moves what is selected, and indents it", () => {
  const l = list("a", "b", "c")
  l.press("ArrowDown", { altKey: true })
  expect(l.show()).toBe("b a c")
  l.press("ArrowRight", { altKey: true })
  expect(l.show()).toBe("b -a c")
  l.press("ArrowLeft", { altKey: true })
  expect(l.show()).toBe("b a c")
  l.press("]", { ctrlKey: true })
  expect(l.show()).toBe("b -a c")
  l.press("[", { ctrlKey: true })
  expect(l.show()).toBe("b a c")
  expect(l.said).toEqual(["Moved down", "1 block indented", "1 block outdented", "1 block indented", "1 block outdented"])
})

it("leaves Tab to the page, which goes into the block", () => {
  const l = list("a", "b")
  l.press("ArrowDown")
  expect(l.press("Tab")).toBe(false)
  expect(l.show()).toBe("a b")
})

it("goes back through what was done, and forward", async () => {
  const l = list("a", "b", "c")
  l.press("Delete")
  await Promise.resolve()
  l.press("ArrowDown", { altKey: true })
  expect(l.show()).toBe("c b")
  for (const want of ["b c", "a b c"]) {
    l.press("z", { ctrlKey: true })
    await new Promise(resolve => setTimeout(resolve))
    expect(l.show()).toBe(want)
  }
  l.press("z", { ctrlKey: true, shiftKey: true })
  await new Promise(resolve => setTimeout(resolve))
  expect(l.show()).toBe("b c")
  l.press("y", { ctrlKey: true })
  await new Promise(resolve => setTimeout(resolve))
  expect(l.show()).toBe("c b")
})

it("takes the keyboard when it is nowhere", () => {
  const l = list("a", "b", "c")
  l.state.selectOne(null)
  const key = (key: string) => ({ key, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false })
  expect(keyFromNowhere(key("ArrowDown"), l.doc, () => l.state.order[1])).toBe(true)
  expect(l.selected()).toBe("b")
  expect(keyFromNowhere(key("x"), l.doc, () => l.state.order[1])).toBe(false)
})

it("folds, deletes with the keyboard on the next, and makes a block below", () => {
  const l = list("a", "b", "c")
  l.press("ArrowDown")
  l.press("]", { ctrlKey: true })
  l.press("ArrowUp")
  l.press(" ")
  expect(l.show()).toBe("a c")
  l.press("ArrowRight")
  expect(l.show()).toBe("a -b c")
  l.press("Delete")
  expect(l.show()).toBe("c")
  expect(l.selected()).toBe("c")
  l.press("Enter", { ctrlKey: true })
  expect(l.show()).toBe("c ")
  expect(l.state.editing?.caret).toBe("end")
})
