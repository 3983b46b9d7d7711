// The keys of an editor that concern the list around it.

import { indentLess, indentMore } from "@codemirror/commands"
import { Prec, type Extension } from "@codemirror/state"
import { EditorView, keymap, type Command, type KeyBinding } from "@codemirror/view"
import type { EditorKey } from "./LiveEditor"

export type Ask = (key: EditorKey, at: number) => boolean

/** Hands keys to `ask`; what it does not take, the editor does. */
export function listKeys(ask: Ask, code: boolean): Extension {
  const asking = (key: EditorKey, when: (view: EditorView) => boolean = () => true): Command => view => when(view) && ask(key, view.state.selection.main.head)
  const undo: Command = view => (ask("undo", view.state.selection.main.head), true)
  const redo: Command = view => (ask("redo", view.state.selection.main.head), true)
  const bindings: KeyBinding[] = [
    { key: "Mod-Enter", run: asking("below"), shift: asking("split") },
    { key: "Backspace", run: asking("mergeUp", atStart) },
    { key: "ArrowUp", run: asking("stepUp", onFirstLine) },
    { key: "ArrowDown", run: asking("stepDown", onLastLine) },
    { key: "Alt-ArrowUp", run: asking("moveUp") },
    { key: "Alt-ArrowDown", run: asking("moveDown") },
    { key: "Escape", run: asking("leave"), stopPropagation: true },
    // A text has no history of its own: what was done is gone back through in the whole context.
    { any: (view, e) => (e.ctrlKey || e.metaKey) && !e.altKey && (/^y$/i.test(e.key) || (/^z$/i.test(e.key) && e.shiftKey) ? redo(view) : /^z$/i.test(e.key) && undo(view)) },
    code ? { key: "Tab", run: indentMore, shift: indentLess } : { key: "Tab", run: asking("indent"), shift: asking("outdent") },
  ]
  // What the browser's own menu asks for.
  const menu = EditorView.domEventHandlers({
    beforeinput(e, view) {
      if (e.inputType !== "historyUndo" && e.inputType !== "historyRedo") return false
      e.preventDefault()
      return e.inputType === "historyUndo" ? undo(view) : redo(view)
    },
  })
  return Prec.high([keymap.of(bindings), menu])
}

function atStart({ state: { selection, readOnly } }: EditorView): boolean {
  return !readOnly && selection.main.empty && selection.main.head === 0
}

/** Reports whether the caret is in the first line as it is wrapped. */
function onFirstLine(view: EditorView): boolean {
  const { head, empty } = view.state.selection.main
  return empty && view.state.doc.lineAt(head).number === 1 && sameRow(view, head, 0)
}

function onLastLine(view: EditorView): boolean {
  const { head, empty } = view.state.selection.main
  return empty && view.state.doc.lineAt(head).to === view.state.doc.length && sameRow(view, head, view.state.doc.length)
}

function sameRow(view: EditorView, a: number, b: number): boolean {
  const [one, other] = [view.coordsAtPos(a), view.coordsAtPos(b)]
  return !one || !other || Math.abs(one.top - other.top) < (one.bottom - one.top) / 2
}
