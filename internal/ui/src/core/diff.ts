// One edit of a text, and the arithmetic that keeps a text box and a shared
// text in step. Positions count UTF-16 units, as text boxes and Automerge's
// JavaScript API do.

/** Replaces `del` units at `at` by `ins`. */
export interface Splice {
  at: number
  del: number
  ins: string
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff

/**
 * The one splice that turns `before` into `after`, or null if they are equal.
 * `caret` is the end of the selection after the edit: it settles which of two
 * equal characters was typed ("aa" to "aaa"). A surrogate pair is never cut.
 */
export function diff(before: string, after: string, caret = after.length): Splice | null {
  if (before === after) return null
  const shorter = Math.min(before.length, after.length)
  // What follows the caret was not typed just now, so it is common first.
  const most = Math.max(0, Math.min(shorter, after.length - caret))
  let tail = 0
  while (tail < most && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  let head = 0
  while (head < shorter - tail && before[head] === after[head]) head++
  while (tail < shorter - head && before[before.length - 1 - tail] === after[after.length - 1 - tail]) tail++
  if (head > 0 && isHigh(before.charCodeAt(head - 1)) && (isLow(before.charCodeAt(head)) || isLow(after.charCodeAt(head)))) head--
  const cut = before.length - tail
  if (tail > 0 && isLow(before.charCodeAt(cut)) && (isHigh(before.charCodeAt(cut - 1)) || isHigh(after.charCodeAt(after.length - tail - 1)))) tail--
  return { at: head, del: before.length - tail - head, ins: after.slice(head, after.length - tail) }
}

/**
 * A splice of `text` as several that each touch at most `most` units, which
 * come to the same when done in order. No character is cut in two.
 */
export function* inPieces(text: string, s: Splice, most: number): Generator<Splice> {
  let { at, del, ins } = s
  while (del + ins.length > most && del > 0) {
    // From the end of what is removed, so that `at` stays where it is.
    let n = Math.min(del, most)
    if (isLow(text.charCodeAt(at + del - n))) n--
    del -= n
    yield { at: at + del, del: n, ins: "" }
  }
  while (del + ins.length > most) {
    let n = most - del
    if (isHigh(ins.charCodeAt(n - 1))) n--
    yield { at, del, ins: ins.slice(0, n) }
    at += n
    del = 0
    ins = ins.slice(n)
  }
  if (del > 0 || ins !== "") yield { at, del, ins }
}

/** Where a caret at `pos` belongs after the splice; text put in exactly at the caret goes behind it. */
export function shift(pos: number, s: Splice): number {
  if (pos <= s.at) return pos
  if (pos >= s.at + s.del) return pos + s.ins.length - s.del
  return s.at + s.ins.length
}

/** Carries `mine`, made on the text before `theirs`, over to the text after it. What both removed goes once. */
export function transform(mine: Splice, theirs: Splice): Splice {
  const start = mine.at
  const end = mine.at + mine.del
  const gone = theirs.at + theirs.del
  const move = theirs.ins.length - theirs.del
  if (theirs.at >= end) return mine
  if (gone <= start) return { ...mine, at: start + move }
  const before = Math.max(0, theirs.at - start) // mine, in front of theirs
  const after = Math.max(0, end - gone) // mine, behind theirs
  if (before > 0 && after > 0) return { ...mine, del: mine.del + move } // theirs lies within: it was replaced
  if (before > 0) return { ...mine, del: before }
  return { at: theirs.at + theirs.ins.length, del: after, ins: mine.ins }
}

/** Carries `mine` over several splices made one after the other on the same text, and those over `mine`. */
export function cross(mine: Splice, theirs: Splice[]): { mine: Splice; theirs: Splice[] } {
  const over: Splice[] = []
  for (const s of theirs) {
    over.push(transform(s, mine))
    mine = transform(mine, s)
  }
  return { mine, theirs: over }
}

/** Applies a splice to a plain string. */
export function apply(text: string, s: Splice): string {
  return text.slice(0, s.at) + s.ins + text.slice(s.at + s.del)
}
