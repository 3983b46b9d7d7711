// Markdown as it is written, with the languages of its fenced code.

import { insertNewlineContinueMarkup, markdownLanguage as gfm } from "@codemirror/lang-markdown"
import { Language, LanguageDescription, LanguageSupport, ParseContext } from "@codemirror/language"
import { EditorView, keymap } from "@codemirror/view"
import { Prec } from "@codemirror/state"
import { type MarkdownParser, parseCode } from "@lezer/markdown"
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

/** The parser of fenced code; one that skips it until its language has come. */
function codeParser(info: string) {
  const found = describe(info)
  if (!found) return null
  return found.support ? found.support.language.parser : ParseContext.getSkippingParser(found.load())
}

/** What markdown() of the package makes, without HTML: that would bring three more grammars along. */
export function markdownSupport(): LanguageSupport {
  const parser = (gfm.parser as MarkdownParser).configure(parseCode({ codeParser }))
  return new LanguageSupport(new Language(gfm.data, parser, [], "markdown"))
}

/** Enter goes on with a list or a quotation. */
export const markdownKeys = Prec.high(keymap.of([{ key: "Enter", run: (view: EditorView) => insertNewlineContinueMarkup(view) }]))
