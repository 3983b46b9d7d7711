// What others write into a text that is being edited.

import { EditorState, Transaction, type Extension } from "@codemirror/state"
import { reconcileAnnotationType } from "@automerge/automerge-codemirror/dist/plugin.js"

/** Marks transactions that bring what the document has already; the binding does not write them. */
export const remote = reconcileAnnotationType

/**
 * Keeps others' words out of the history of one's own: the binding does not,
 * so that Ctrl-Z would take them back.
 */
export const notOurs: Extension = EditorState.transactionExtender.of(tr =>
  tr.annotation(remote) ? { annotations: [Transaction.addToHistory.of(false), Transaction.remote.of(true)] } : null,
)
