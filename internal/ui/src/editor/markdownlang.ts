// Markdown as it is written, with the languages of its fenced code.

import { insertNewlineContinueMarkup, markdown, markdownLanguage as gfm } from "@codemirror/lang-markdown"
import { LanguageDescription, type LanguageSupport } from "@codemirror/language"
import { EditorView, keymap } from "@codemirror/view"
import { Prec } from "@codemirror/state"
import { languageOf, loadLanguage } from "./languages"

const descriptions = new Map<string, LanguageDescription>()

function describe(info: string): LanguageDescription | null {
  const name = languageOf(/^[^\s{,:]*/.exec(info)?.[0] ?? "")
  if (!name || name === "markdown") return null
  let found = descriptions.get(name)
  if (!found) {
    const load = async () => {
      const support = await loadLanguage(name)
      if (!support) throw new Error(`the language ${name} cannot be had now`)
      return support
    }
    descriptions.set(name, (found = LanguageDescription.of({ name, load })))
  }
  return found
}

export function markdownLanguage(): LanguageSupport {
  return markdown({ base: gfm, codeLanguages: describe, addKeymap: false, completeHTMLTags: false, pasteURLAsLink: false })
}

/** Enter goes on with a list or a quotation. */
export const markdownKeys = Prec.high(keymap.of([{ key: "Enter", run: (view: EditorView) => insertNewlineContinueMarkup(view) }]))
