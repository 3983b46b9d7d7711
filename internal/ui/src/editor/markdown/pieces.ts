// A long text in pieces that are rendered each for itself: a text that grows is
// parsed at its end only, and nothing that somebody wrote takes long.

export interface TextPiece {
  readonly text: string
  /** It is shown as it is: as Markdown it would take too long. */
  readonly plain: boolean
}

/** A piece ends at the first good place behind so many characters. */
const wanted = 4_000
/** A piece without a good place to end is Markdown up to here. */
const most = 16_000
/** What is behind is shown as it is. */
const mostRich = 300_000
const plainChars = 20_000
/** Limits of one piece; the parser's time grows with their squares. */
const maxNesting = 40
const maxLineChars = 10_000
const maxMarks = 600
const maxLines = 800
const maxColumns = 100

const fence = /^ {0,3}(`{3,}|~{3,})/
/** What may belong to what stands above the empty line. */
const goesOn = /^(?:[ \t]|[-*+>|]|\d{1,9}[.)])/

/** Cuts a text where one block ends and another begins. */
export function inTextPieces(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let from = 0
  const cut = (to: number) => {
    if (to > from) pieces.push(...fitting(text.slice(from, to)))
    from = to
  }
  let open = ""
  let empty = false
  for (let at = 0; at < text.length && at < mostRich; ) {
    const end = text.indexOf("\n", at)
    const next = end < 0 ? text.length : end + 1
    const line = text.slice(at, Math.min(next, at + 200))
    if (!open && empty && at - from >= wanted && !goesOn.test(line)) cut(at)
    const mark = fence.exec(line)?.[1]
    if (mark && !open) open = mark
    else if (mark && open && mark[0] === open[0] && mark.length >= open.length && line.trim() === mark) open = ""
    empty = line.trim() === ""
    at = next
  }
  const rich = text.length > mostRich ? from : text.length
  cut(rich)
  for (let at = from; at < text.length; at += plainChars) pieces.push({ text: text.slice(at, at + plainChars), plain: true })
  return pieces
}

/** The piece as it can be shown. */
function fitting(text: string): TextPiece[] {
  if (text.length <= most && isSimple(text)) return [{ text, plain: false }]
  const pieces: TextPiece[] = []
  for (let at = 0; at < text.length; at += plainChars) pieces.push({ text: text.slice(at, at + plainChars), plain: true })
  return pieces
}

/** Reports whether a text is of the kind that people write. */
function isSimple(text: string): boolean {
  let marks = 0
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i)
    // * _ [ ] ` ~ < & @ :
    if (c === 42 || c === 95 || c === 91 || c === 93 || c === 96 || c === 126 || c === 60 || c === 38 || c === 64 || c === 58) marks++
  }
  if (marks > Math.max(maxMarks, text.length / 12)) return false
  const lines = text.split("\n")
  if (lines.length > maxLines) return false
  for (const line of lines) {
    if (line.length > maxLineChars || line.split("|", maxColumns + 2).length > maxColumns + 1) return false
    const lead = /^[\s>*+\-0-9.)]*/.exec(line)![0]
    if (lead.length > maxNesting && (lead.match(/[>*+)]|[-.](?=\s)/g)?.length ?? 0) > maxNesting) return false
    if (/^[ \t]{200,}\S/.test(line)) return false
  }
  return true
}
