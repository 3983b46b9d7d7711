// Finding a piece of a text in its rendered form and the other way round.
// Rendering takes marks away, so only letters, digits and other signs that no
// Markdown is made of are compared.

/** A text without what rendering may add or take away, and where each unit of it stood. */
export interface Bare {
  text: string
  at: number[]
}

const meaning = /[\p{L}\p{N}\p{S}]/u
const markdown = new Set("`~^|=+<>$")

export function bare(text: string): Bare {
  let out = ""
  const at: number[] = []
  let pos = 0
  for (const c of text) {
    if (meaning.test(c) && !markdown.has(c)) {
      for (let n = 0; n < c.length; n++) at.push(pos + n)
      out += c
    }
    pos += c.length
  }
  return { text: out, at }
}

/** Where a piece stands in a text, as units [from, to); of several places that nearest to `near`, counted in bare units. Null if nowhere. */
export function located(text: Bare, piece: string, near = 0): [from: number, to: number] | null {
  const wanted = bare(piece).text
  if (wanted === "") return null
  let best = -1
  for (let at = text.text.indexOf(wanted); at >= 0; at = text.text.indexOf(wanted, at + 1)) {
    if (best >= 0 && Math.abs(at - near) > Math.abs(best - near)) break
    best = at
  }
  return best < 0 ? null : [text.at[best]!, text.at[best + wanted.length - 1]! + 1]
}

/** The lines, from 1, that a piece of a text lies in. Null if it is not there. */
export function linesOfPiece(text: string, piece: string, near = 0): { first: number; last: number } | null {
  const found = located(bare(text), piece, near)
  if (!found) return null
  const lineAt = (pos: number) => text.slice(0, pos).split("\n").length
  return { first: lineAt(found[0]), last: lineAt(Math.max(found[0], found[1] - 1)) }
}
