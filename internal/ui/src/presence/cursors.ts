// Others' carets and selections in an editor, and this page's told to them.
// They are drawn on layers over and under the text, never within it, where
// they would come between an input method and its word.

import * as A from "@automerge/automerge/slim"
import type { EditorState, Extension } from "@codemirror/state"
import { ViewPlugin, type EditorView, type PluginValue, type ViewUpdate } from "@codemirror/view"
import type { ContextModel } from "../core/model"
import { show, shownCarets, type Shown } from "./carets"
import { caretLayer, selectionLayer } from "./layers"
import { knownPeopleAt, type Caret, type People } from "./people"
import type { Spot } from "./wire"

/** Shows others' carets in the editor of a block, and tells them this page's. */
export function cursorsIn(model: ContextModel, id: string): Extension {
  const people = knownPeopleAt(model)
  return people ? [shownCarets, selectionLayer, caretLayer, ViewPlugin.define(view => new Exchange(view, model, id, people))] : []
}

class Exchange implements PluginValue {
  readonly #view: EditorView
  readonly #model: ContextModel
  readonly #id: string
  readonly #people: People
  readonly #stops: (() => void)[]
  #asked = false
  #open = true

  constructor(view: EditorView, model: ContextModel, id: string, people: People) {
    this.#view = view
    this.#model = model
    this.#id = id
    this.#people = people
    this.#stops = [people.use(), people.onCarets(id, () => this.#soon())]
    this.#soon()
  }

  update(u: ViewUpdate): void {
    if (u.docChanged && u.state.field(shownCarets).some(c => c.early)) this.#soon()
    if (!u.selectionSet && !u.docChanged && !u.focusChanged) return
    const { anchor, head } = u.state.selection.main
    const typed = u.transactions.some(tr => tr.isUserEvent("input") || tr.isUserEvent("delete"))
    if (u.view.hasFocus) this.#people.place(this.#id, anchor, head, typed)
    else if (u.focusChanged) this.#people.leave(this.#id)
  }

  destroy(): void {
    this.#open = false
    this.#people.leave(this.#id)
    for (const stop of this.#stops) stop()
  }

  /** Shows the carets when the view is not being updated. */
  #soon(): void {
    if (this.#asked) return
    this.#asked = true
    queueMicrotask(() => {
      this.#asked = false
      if (!this.#open) return
      const carets = this.#people.carets(this.#id).map(c => this.#find(c, this.#view.state))
      if (carets.length > 0 || this.#view.state.field(shownCarets).length > 0) this.#view.dispatch({ effects: show.of(carets) })
    })
  }

  #find({ key, nick, hue, at }: Caret, state: EditorState): Shown {
    const [anchor, head] = [this.#place(at.anchor, state, at.points), this.#place(at.head, state, at.points)]
    return { key, nick, hue, anchor: anchor.pos, head: head.pos, early: anchor.early || head.early }
  }

  #place({ cursor, pos }: Spot, state: EditorState, points = false): { pos: number; early: boolean } {
    const { length } = state.doc
    if (cursor !== undefined) {
      try {
        const path = [...(this.#model.block(this.#id)?.path ?? []), "text"]
        return { pos: Math.min(A.getCursorPosition(this.#model.handle.doc() as A.Doc<unknown>, path, cursor), length), early: false }
      } catch {
        // It points at what is still under way.
      }
    }
    return { pos: Math.min(points ? unitsOf(state, pos) : pos, length), early: cursor !== undefined }
  }
}

/** Where the text goes on behind so many code points. */
function unitsOf(state: EditorState, points: number): number {
  let units = 0
  for (const char of state.sliceDoc(0, Math.min(state.doc.length, 2 * points))) {
    if (points-- <= 0) break
    units += char.length
  }
  return units
}
