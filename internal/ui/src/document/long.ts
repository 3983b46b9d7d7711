// Long texts are shown in part, and more on asking: a page of ten megabytes
// would stop the window.

/** How much of a long text shows at first, and how much more each time, in characters. */
export const firstChars = 4_000
export const firstLines = 30
export const moreChars = 60_000
/** How much of a running output shows: its end. */
const tailChars = 4_000

export interface Part {
  text: string
  /** How many characters are left out behind it, or in front of it for a tail. */
  left: number
}

/** The beginning of a text: `asked` characters, or what shows at first. */
export function headOf(text: string, asked: number): Part {
  let end = asked > 0 ? asked : Math.min(firstChars, endOfLine(text, firstLines))
  if (end >= text.length || (asked === 0 && text.length - end < 200)) return { text, left: 0 }
  end = whole(text, end)
  return { text: text.slice(0, end), left: text.length - end }
}

/** The end of a text that still grows. */
export function tailOf(text: string): Part {
  if (text.length <= tailChars) return { text, left: 0 }
  const from = text.length - tailChars
  const line = text.indexOf("\n", from)
  const begin = line >= 0 && line < text.length - tailChars / 2 ? line + 1 : whole(text, from)
  return { text: text.slice(begin), left: begin }
}

/** Pieces that the page can lay out one by one. */
export function slabs(text: string, size = 20_000): string[] {
  if (text.length <= size) return [text]
  const out: string[] = []
  for (let at = 0; at < text.length; ) {
    const line = text.lastIndexOf("\n", at + size)
    const end = at + size >= text.length ? text.length : line > at ? line + 1 : whole(text, at + size)
    out.push(text.slice(at, end))
    at = end
  }
  return out
}

function endOfLine(text: string, lines: number): number {
  let at = -1
  for (let n = 0; n < lines; n++) {
    at = text.indexOf("\n", at + 1)
    if (at < 0) return text.length
  }
  return at
}

/** A place at or before `at` that does not cut a character in two. */
function whole(text: string, at: number): number {
  const code = text.charCodeAt(at)
  return code >= 0xdc00 && code <= 0xdfff ? at - 1 : at
}
