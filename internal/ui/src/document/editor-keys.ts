// What the keys of an editor do to the list around it.

import type { EditorKey } from "../editor/LiveEditor"
import type { Doc } from "./doc-context"

/** Does what a key asks for; false leaves the key to the editor. */
export function editorKey({ model, state, act, composer }: Doc, id: string, key: EditorKey, at: number): boolean {
  switch (key) {
    case "below":
      return act.addBelow(id) !== null
    case "split":
      act.split(id, at)
      return true
    case "mergeUp":
      return model.block(id)?.content === "" ? removeEmpty() : act.merge(id)
    case "leave":
      act.leave()
      return true
    case "indent":
      return act.indent([id], 1)
    case "outdent":
      return act.indent([id], -1)
    case "undo":
      void act.undo()
      return true
    case "redo":
      void act.redo()
      return true
    case "moveUp":
      return act.moveBy([id], -1)
    case "moveDown":
      return act.moveBy([id], 1)
    case "stepUp":
    case "stepDown":
      return step(key === "stepUp" ? -1 : 1)
  }

  /** An empty block goes, and the caret steps up. */
  function removeEmpty(): boolean {
    const above = state.order[state.indexOf(id) - 1]
    if (model.children(id).length > 0 || above === undefined) return false
    act.remove([id])
    void go(above, "end")
    return true
  }

  function step(by: 1 | -1): boolean {
    const next = state.order[state.indexOf(id) + by]
    if (next !== undefined) return go(next, by < 0 ? "end" : "start")
    if (by < 0) return false
    state.edit(null)
    composer()
    return true
  }

  function go(next: string, caret: "start" | "end"): boolean {
    state.selectOne(next)
    if (model.block(next)?.form === "text") state.edit({ id: next, caret })
    else state.edit(null)
    act.stage.show(next)
    return true
  }
}
