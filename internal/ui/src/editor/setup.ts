// The editor's ways, apart from what binds it to a document.

import { defaultKeymap, history, historyKeymap } from "@codemirror/commands"
import { indentOnInput, bracketMatching } from "@codemirror/language"
import { EditorState, type Extension } from "@codemirror/state"
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view"
import { nonce } from "../core/nonce"
import { codeLook, proseLook } from "./theme"

/** Characters that show nothing, or turn the order of those around them, are shown as what they are. */
const hidden = highlightSpecialChars({ addSpecialChars: /[\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufff9-\ufffb]/gu })

/** What is pasted or dropped has the line ends of the document. */
const pasted = EditorView.clipboardInputFilter.of(text => text.replace(/\r\n?/g, "\n"))

/** Undo and redo stay within the editor, also when there is nothing to take back. */
const stop = () => true
const nothingToUndo = keymap.of([
  { key: "Mod-z", run: stop, preventDefault: true },
  { key: "Mod-y", mac: "Mod-Shift-z", run: stop, preventDefault: true },
])

export interface Ways {
  code: boolean
  label: string
  readOnly: boolean
}

export function waysOf({ code, label, readOnly }: Ways): Extension {
  return [
    nonce ? EditorView.cspNonce.of(nonce) : [],
    code ? [lineNumbers(), indentOnInput(), bracketMatching(), codeLook] : [EditorView.lineWrapping, proseLook],
    hidden,
    pasted,
    history(),
    keymap.of([...historyKeymap, ...defaultKeymap]),
    nothingToUndo,
    EditorView.contentAttributes.of({
      "aria-label": label,
      spellcheck: code ? "false" : "true",
      autocapitalize: code ? "off" : "sentences",
      autocorrect: code ? "off" : "on",
    }),
    readOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
  ]
}
