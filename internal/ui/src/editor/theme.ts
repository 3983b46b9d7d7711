// How an editor looks: as the rendered text does, so that little moves when
// one becomes the other.

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language"
import { EditorView } from "@codemirror/view"
import { tags as t } from "@lezer/highlight"
import { blockLines } from "./blocklines"
import { codeStyle } from "./codestyle"

const markdownStyle = HighlightStyle.define([
  { tag: t.heading1, fontSize: "1.5em", fontWeight: "650", lineHeight: "1.3" },
  { tag: t.heading2, fontSize: "1.25em", fontWeight: "650", lineHeight: "1.35" },
  { tag: t.heading3, fontSize: "1.1em", fontWeight: "650" },
  { tag: [t.heading4, t.heading5, t.heading6], fontWeight: "650" },
  { tag: t.emphasis, fontStyle: "italic" },
  { tag: t.strong, fontWeight: "650" },
  { tag: t.strikethrough, textDecoration: "line-through" },
  { tag: t.link, color: "var(--accent)" },
  { tag: t.url, color: "var(--muted)" },
  { tag: t.monospace, fontFamily: "var(--mono)", fontSize: "0.9em", backgroundColor: "var(--code)", borderRadius: "3px" },
  { tag: t.quote, color: "var(--muted)" },
  { tag: [t.processingInstruction, t.contentSeparator], color: "var(--muted)" },
])

const common = {
  "&": { color: "inherit", backgroundColor: "transparent", fontSize: "inherit" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "inherit", overflowX: "auto" },
  ".cm-content": { padding: "0", caretColor: "var(--fg)", minHeight: "1lh" },
  ".cm-line": { padding: "0" },
  ".cm-specialChar": { color: "var(--danger)" },
  ".cm-placeholder": { color: "var(--muted)" },
}

const prose = EditorView.theme({
  ...common,
  ".cm-scroller": { ...common[".cm-scroller"], overflow: "visible" },
  ".cm-content": { ...common[".cm-content"], overflowWrap: "anywhere" },
  ".cm-codeline": { fontFamily: "var(--mono)", fontSize: "var(--text-m, 13px)", lineHeight: "1.55", backgroundColor: "var(--code)", tabSize: "4" },
  ".cm-emptyline": { fontSize: "0.6em" },
})

const code = EditorView.theme({
  ...common,
  "&": { ...common["&"], fontSize: "var(--text-m, 13px)" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55", overflowX: "auto" },
  ".cm-content": { ...common[".cm-content"], tabSize: "4" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--muted)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "3ch", padding: "0 12px 0 0" },
})

/** The looks of an editor of Markdown. */
export const proseLook = [prose, blockLines, syntaxHighlighting(markdownStyle), syntaxHighlighting(codeStyle)]

/** The looks of an editor of code. */
export const codeLook = [code, syntaxHighlighting(codeStyle)]
