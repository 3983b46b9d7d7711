// The colours of authors in CodeMirror: decorations that move with the text
// and are made anew when the server has said who wrote what.

import { StateEffect, StateField, type Extension } from "@codemirror/state"
import { Decoration, EditorView, ViewPlugin, type DecorationSet } from "@codemirror/view"
import { lookOf } from "./BlameLayer"
import type { BlameBook, BlameSpan } from "./blame"
import type { BlameBy } from "./useBlame"

const setSpans = StateEffect.define<readonly BlameSpan[]>()

export function editorBlame(book: BlameBook, id: string, by: BlameBy): Extension {
  const field = StateField.define<DecorationSet>({
    create: () => Decoration.none,
    update(set, tr) {
      for (const e of tr.effects) if (e.is(setSpans)) return decorate(e.value, tr.newDoc.length, by)
      return set.map(tr.changes)
    },
    provide: f => EditorView.decorations.from(f),
  })
  const follow = ViewPlugin.define(view => {
    let gone = false
    // Not within an update of the view, which is where the model may tell.
    const show = () =>
      queueMicrotask(() => {
        const spans = gone ? null : book.spans(id)
        if (spans) view.dispatch({ effects: setSpans.of(spans) })
      })
    const stop = book.watch(id, show)
    show()
    return {
      destroy() {
        gone = true
        stop()
      },
    }
  })
  return [field, follow]
}

function decorate(spans: readonly BlameSpan[], length: number, by: BlameBy): DecorationSet {
  const marks = spans.flatMap(s => {
    const { className, title } = lookOf(s, by)
    const to = Math.min(s.to, length)
    return className && s.from < to ? [Decoration.mark({ class: className, attributes: { title } }).range(s.from, to)] : []
  })
  return Decoration.set(marks)
}
