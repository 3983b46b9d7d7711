// The languages that are coloured. Each is fetched when it is first met.

import type { Extension } from "@codemirror/state"
import { type Language, LanguageSupport, StreamLanguage, type StreamParser } from "@codemirror/language"

type Load = () => Promise<LanguageSupport>

/** A language for its colours and indents alone: it completes nothing. */
const grammar = (load: () => Promise<Language>): Load => async () => new LanguageSupport(await load())

/** One that is read line by line: a few kilobytes, where a grammar would be tens. */
const lines = (load: () => Promise<StreamParser<unknown>>): Load => grammar(async () => StreamLanguage.define(await load()))

const loads: Record<string, Load> = {
  css: grammar(async () => (await import("@codemirror/lang-css")).cssLanguage),
  go: lines(async () => (await import("@codemirror/legacy-modes/mode/go")).go),
  html: lines(async () => (await import("@codemirror/legacy-modes/mode/xml")).html),
  javascript: lines(async () => (await import("@codemirror/legacy-modes/mode/javascript")).javascript),
  json: grammar(async () => (await import("@codemirror/lang-json")).jsonLanguage),
  markdown: async () => (await import("./markdownlang")).markdownSupport(),
  python: lines(async () => (await import("@codemirror/legacy-modes/mode/python")).python),
  rust: lines(async () => (await import("@codemirror/legacy-modes/mode/rust")).rust),
  sql: grammar(async () => (await import("@codemirror/lang-sql")).StandardSQL.language),
  typescript: lines(async () => (await import("@codemirror/legacy-modes/mode/javascript")).typescript),
  xml: lines(async () => (await import("@codemirror/legacy-modes/mode/xml")).xml),
  yaml: lines(async () => (await import("@codemirror/legacy-modes/mode/yaml")).yaml),
}

/** Names and endings of files by which a language is called. */
const names: Record<string, string> = {
  ...Object.fromEntries(Object.keys(loads).map(name => [name, name])),
  cjs: "javascript", golang: "go", htm: "html", js: "javascript", jsonc: "json", jsonl: "json", json5: "json", jsx: "javascript", map: "json",
  cts: "typescript", md: "markdown", mjs: "javascript", mts: "typescript", mysql: "sql", postgresql: "sql", psql: "sql", py: "python",
  python3: "python", pyi: "python", rs: "rust", scss: "css", less: "css", sqlite: "sql", svg: "xml", ts: "typescript", tsx: "typescript", vue: "html", xhtml: "html",
  yml: "yaml",
}

/** The language that a name, an ending or a path stands for; null when it is none of ours. */
export function languageOf(name: string): string | null {
  const last = /[^/\\\s.:{,]+$/.exec(name.slice(-200).trim().toLowerCase())?.[0] ?? ""
  const found = Object.hasOwn(names, last) ? names[last]! : null
  return found
}

const loaded = new Map<string, Promise<LanguageSupport | null>>()

/** Fetches a language by any of its names; null for one that is not ours or cannot be had now. */
export function loadLanguage(name: string): Promise<LanguageSupport | null> {
  const language = languageOf(name)
  if (!language) return Promise.resolve(null)
  let support = loaded.get(language)
  if (!support) {
    support = loads[language]!().catch(() => (loaded.delete(language), null))
    loaded.set(language, support)
  }
  return support
}

/** The same, as an extension. */
export const languageExtension = async (name: string): Promise<Extension> => (await loadLanguage(name)) ?? []
