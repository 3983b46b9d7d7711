// The keyboard in the list, where no editor has it. Tab is left to the page: it
// goes into a block, to its links and buttons.

import type { KeyboardEvent } from "react"
import type { Doc } from "./doc-context"
import { stepped } from "./selection"

/** How many rows a page step is. */
const page = 10

/** Does what a key means in the list. */
export function listKey(e: KeyboardEvent<HTMLElement>, doc: Doc): void {
  if (e.defaultPrevented || e.nativeEvent.isComposing) return
  const target = e.target as HTMLElement
  const row = target.closest<HTMLElement>("[data-row]")
  if (!row) return
  const inside = target !== row // on a button or in an output of the row
  if (inside && target.closest("input, textarea, select, .cm-editor, [contenteditable]")) {
    if (e.key === "Escape" && target.closest("input[type=checkbox]")) row.focus()
    return
  }
  // Its editor is about to come: what is typed meanwhile is no command.
  const coming = !inside && doc.state.editing?.id === row.dataset.row && e.key !== "Escape"
  const run = coming ? () => {} : keyed(e, doc, row.dataset.row!, inside)
  if (!run) return
  e.preventDefault()
  e.stopPropagation()
  run()
}

function keyed(e: KeyboardEvent, doc: Doc, id: string, inside: boolean): (() => void) | null {
  const { state, act } = doc
  const mod = e.metaKey || e.ctrlKey
  const ids = () => act.targets(id)
  const go = (by: number) => () => step(doc, by, e.shiftKey)
  switch (e.key) {
    case "ArrowDown":
    case "ArrowUp": {
      const by = e.key === "ArrowDown" ? 1 : -1
      if (e.altKey) return () => act.moveBy(ids(), by)
      return mod ? null : go(by)
    }
    case "PageDown":
      return go(page)
    case "PageUp":
      return go(-page)
    case "Home":
    case "End":
      return go(e.key === "Home" ? -Infinity : Infinity)
    case "ArrowRight":
    case "ArrowLeft": {
      if (e.altKey && !mod) return () => void act.indent(ids(), e.key === "ArrowRight" ? 1 : -1)
      const folded = doc.model.block(id)?.collapsed
      return !inside && !mod && !e.altKey && folded === (e.key === "ArrowRight") ? () => act.toggle("collapsed", [id]) : null
    }
    case "Escape":
      return inside || state.selection.ids.size > 1 ? () => (state.selectOne(id), act.stage.show(id)) : null
  }
  if (inside) return null
  switch (e.key) {
    case "Enter":
      if (mod) return () => void act.addBelow(id)
      return () => open(doc, id)
    case "F2":
      return () => void act.edit(id)
    case " ":
      return () => act.toggle("collapsed", ids())
    case "Backspace":
    case "Delete":
      return () => act.remove(ids())
  }
  if (mod && !e.altKey) {
    const key = e.key.toLowerCase()
    if (key === "a") return () => state.all()
    if (key === "z") return () => void (e.shiftKey ? act.redo() : act.undo())
    if (key === "]") return () => void act.indent(ids(), 1)
    if (key === "[") return () => void act.indent(ids(), -1)
    if (key === "y") return () => void act.redo()
  }
  return null
}

/** Takes the keyboard to the list when it is nowhere in particular: true if the key was one that walks. */
export function keyFromNowhere(e: Pick<globalThis.KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">, { state, act }: Doc, inSight: () => string | undefined): boolean {
  const { key } = e
  const letter = (e.ctrlKey || e.metaKey) && !e.altKey ? key.toLowerCase() : ""
  if (letter === "z" || letter === "y") return void (letter === "y" || e.shiftKey ? act.redo() : act.undo()), true
  if (e.ctrlKey || e.metaKey || e.altKey || e.shiftKey) return false
  if (!["ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End"].includes(key)) return false
  const { focus } = state.selection
  const to = focus !== null && state.indexOf(focus) >= 0 ? focus : key === "Home" ? state.order[0] : key === "End" ? state.order.at(-1) : inSight()
  if (to === undefined) return false
  state.selectOne(to)
  act.stage.show(to)
  return true
}

/** Moves the keyboard, or lets the selection grow. */
function step({ state, act, composer }: Doc, by: number, grow: boolean): void {
  const next = stepped(state.selection, by, state.order)
  if (next === null) return
  if (next === state.selection.focus && by === 1 && !grow) return composer()
  if (grow) state.extendTo(next)
  else state.selectOne(next)
  if (grow) act.stage.announce(`${state.selection.ids.size} selected`)
  act.stage.show(next)
}

/** What Enter does: a card opens, a text is edited. */
function open({ model, state, act }: Doc, id: string): void {
  const kind = model.block(id)?.kind
  if (kind === "tool_call" || (kind === "thinking" && !state.isOpen(id, false))) state.setOpen(id, !state.isOpen(id, false))
  else void act.edit(id)
}
