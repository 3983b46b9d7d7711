// A text of a document in a view of CodeMirror, both ways.

import { automergeSyncPlugin, type DocHandle as BindingHandle } from "@automerge/automerge-codemirror"
import type * as A from "@automerge/automerge/slim"
import type { DocHandle } from "@automerge/automerge-repo/slim"
import { EditorState, Prec, type Extension } from "@codemirror/state"
import { ViewPlugin, type EditorView } from "@codemirror/view"
import { Bound } from "./bound"
import { notOurs, remote } from "./remote"
import { wholeCharacters } from "./wellformed"

export interface Binding {
  /** The text to begin with. */
  text: string
  extension: Extension
}

/** Binds the Text at a path; null when there is none. `onGone` is told when it ceases to be one. */
export function bind(handle: DocHandle<any>, path: readonly A.Prop[], onGone: () => void): Binding | null {
  if (!handle.isReady()) return null
  const bound = new Bound(handle, path, onGone)
  const text = bound.text()
  if (text === null) return null
  const sync = automergeSyncPlugin({ handle: bound as unknown as BindingHandle<unknown>, path: [...path] })
  const before = ViewPlugin.define(() => ({ update: update => bound.entering(update.transactions) }))
  const attached = ViewPlugin.define(view => {
    // The plugin before this one is there when the view is.
    queueMicrotask(() => !gone.has(view) && bound.attach(view, () => view.plugin(sync)))
    return { destroy: () => (gone.add(view), bound.detach()) }
  })
  const gone = new WeakSet<EditorView>()
  const extension = [
    // Lines end in "\n" alone, whatever else is in them, so that positions are the same on both sides.
    EditorState.lineSeparator.of("\n"),
    Prec.highest(before),
    sync,
    attached,
    notOurs,
    wholeCharacters,
    EditorState.changeFilter.of(tr => !!tr.annotation(remote) || bound.text() !== null),
  ]
  return { text, extension }
}
