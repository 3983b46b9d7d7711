// What the content and the meta of calls, commands and other records say.
// Anybody may have written them: what is not as it should be reads as absent.

/** No more of a meta or of arguments is parsed than this, in characters. */
const maxParsed = 256 << 10
const maxName = 80

export type Fields = Readonly<Record<string, unknown>>
const none: Fields = {}

/** A JSON object from outside; anything else is an empty one. */
export function fieldsOf(json: string): Fields {
  if (json === "" || json.length > maxParsed || !/^\s*\{/.test(json)) return none
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : none
  } catch {
    return none
  }
}

const text = (v: unknown): string => (typeof v === "string" ? v : "")
const oneLine = (s: string, max: number): string => {
  const line = s.slice(0, 4 * max).replace(/\s+/g, " ").trim()
  return line.length > max ? `${line.slice(0, max)}…` : line
}

export interface Call {
  name: string
  /** The arguments in one line. */
  summary: string
  /** The arguments to read, as text. */
  pretty: string
  /** The language of `pretty`. */
  lang: "json" | ""
}

/** Reads a tool call: its name from the meta or the content, its arguments from the content. */
export function readCall(content: string, meta: string): Call {
  const m = fieldsOf(meta)
  const c = fieldsOf(content)
  const wrapped = text(c.name) !== "" && (typeof c.arguments === "object" || typeof c.input === "object")
  const args = wrapped ? (c.arguments ?? c.input) : c
  const name = oneLine(text(m.tool_name) || text(m.name) || (wrapped ? text(c.name) : ""), maxName) || "tool"
  if (typeof args !== "object" || args === null || Object.keys(args).length === 0) return { name, summary: c === none || Object.keys(c).length === 0 ? oneLine(content, 120).replace(/^\{\}$/, "") : "", pretty: content, lang: "" }
  return { name, summary: summaryOf(args as Fields), ...written(args, content) }
}

/** Arguments set out to be read; as they came where they are too deep for that. */
function written(args: object, content: string): Pick<Call, "pretty" | "lang"> {
  try {
    return { pretty: JSON.stringify(args, null, 2), lang: "json" }
  } catch {
    return { pretty: content, lang: "" }
  }
}

/** What matters of arguments, in one line: the telling one alone, else names and values. */
function summaryOf(args: Fields): string {
  for (const key of ["command", "cmd", "path", "file_path", "query", "pattern", "url", "question"]) if (typeof args[key] === "string" && args[key] !== "") return oneLine(args[key], 120)
  const parts = Object.entries(args).slice(0, 6).map(([key, value]) => `${oneLine(key, 24)}: ${typeof value === "string" ? oneLine(value, 40) : oneLine(shortly(value), 40)}`)
  return oneLine(parts.join(", "), 120)
}

/** A value in one line; one that is a list or an object by its beginning, if it is not too deep. */
function shortly(value: unknown): string {
  try {
    return JSON.stringify(value) ?? ""
  } catch {
    return "…"
  }
}

/** How a command ended; null where that is not known. */
export function exitCode(...metas: string[]): number | null {
  for (const meta of metas) {
    const code = fieldsOf(meta).exit_code
    if (Number.isSafeInteger(code)) return code as number
  }
  return null
}

/** How long something took, in milliseconds, as its meta says; null if it does not. */
export function duration(...metas: string[]): number | null {
  for (const meta of metas) {
    const m = fieldsOf(meta)
    for (const [key, scale] of [["duration_ms", 1], ["elapsed_ms", 1], ["duration_s", 1000]] as const) {
      const value = m[key]
      if (typeof value === "number" && value >= 0 && Number.isFinite(value)) return value * scale
    }
  }
  return null
}

/** Few words of a meta that say what a plain card is about. */
export function details(meta: string, keys: readonly string[]): [string, string][] {
  const m = fieldsOf(meta)
  return keys.flatMap(key => {
    const value = m[key]
    return typeof value === "string" || typeof value === "number" ? [[key.replaceAll("_", " "), oneLine(String(value), 160)] as [string, string]] : []
  })
}
