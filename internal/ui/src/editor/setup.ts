// The editor's ways, apart from what binds it to a document.

import { defaultKeymap } from "@codemirror/commands"
import { indentOnInput, bracketMatching } from "@codemirror/language"
import { EditorState, type Extension } from "@codemirror/state"
import { EditorView, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view"
import { nonce } from "../core/nonce"
import { codeLook, proseLook } from "./theme"

/**
 * Characters that show nothing, or turn the order of those around them, are
 * shown as what they are; joiners only where they join neither letters nor pictures.
 */
const hidden = highlightSpecialChars({ addSpecialChars: /[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufff9-\ufffb]|(?<![\p{L}\p{M}\p{Extended_Pictographic}\u{1f3fb}-\u{1f3ff}])[\u200c\u200d]/gu })

/** What is pasted or dropped has the line ends of the document. */
const pasted = EditorView.clipboardInputFilter.of(text => text.replace(/\r\n?/g, "\n"))

/** The caret's line stays clear of what lies over the lower edge of what scrolls around the editor. */
const clear = EditorView.scrollMargins.of(view => {
  for (let el = view.dom.parentElement; el; el = el.parentElement) {
    const bottom = parseFloat(getComputedStyle(el).scrollPaddingBottom)
    if (bottom > 0) return { bottom }
  }
  return null
})

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
    clear,
    keymap.of(defaultKeymap),
    EditorView.contentAttributes.of({
      "aria-label": label,
      spellcheck: code ? "false" : "true",
      autocapitalize: code ? "off" : "sentences",
      autocorrect: code ? "off" : "on",
    }),
    readOnly ? [EditorState.readOnly.of(true), EditorView.editable.of(false)] : [],
  ]
}
