// Code in its colours without an editor.

import type { LanguageSupport } from "@codemirror/language"
import { highlightTree } from "@lezer/highlight"
import { codeStyle } from "./codestyle"

/** Longer code stays as it is: it is parsed in one go. */
const maxChars = 60_000

export interface Span {
  readonly text: string
  /** "" for what has no colour. */
  readonly className: string
}

/** Code cut into what has a colour and what has none; null when it is too long. */
export function spansOf(text: string, { language }: LanguageSupport): Span[] | null {
  if (text.length > maxChars) return null
  const spans: Span[] = []
  let from = 0
  highlightTree(language.parser.parse(text), codeStyle, (start, end, className) => {
    if (start > from) spans.push({ text: text.slice(from, start), className: "" })
    spans.push({ text: text.slice(start, end), className })
    from = end
  })
  if (from < text.length) spans.push({ text: text.slice(from), className: "" })
  return spans
}
