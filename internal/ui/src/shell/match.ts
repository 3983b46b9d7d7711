// How well a name fits what somebody types.

/**
 * A score above 0 when every word of the query occurs in the name: whole words
 * count more than beginnings, these more than what lies inside, and the letters
 * in order with gaps least. 0 when it does not fit; 1 for an empty query.
 */
export function fit(name: string, query: string): number {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return 1
  const low = name.toLowerCase()
  let sum = 0
  for (const word of words) {
    const score = fitWord(low, word)
    if (score === 0) return 0
    sum += score
  }
  return sum / words.length + 1 / (10 + low.length)
}

function fitWord(name: string, word: string): number {
  if (name === word) return 10
  if (name.startsWith(word)) return 8
  for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1)) if (!/[\p{L}\p{N}]/u.test(name[at - 1] ?? " ")) return 6
  if (name.includes(word)) return 4
  return word.length > 1 && inOrder(name, word) ? 1 : 0
}

/** Letters with gaps count as far apart as this, times their number: in a long name every few letters occur somewhere. */
const maxSpread = 3

function inOrder(name: string, letters: string): boolean {
  for (let from = name.indexOf(letters[0]!); from >= 0; from = name.indexOf(letters[0]!, from + 1)) {
    let at = from
    for (let n = 1; n < letters.length && at >= 0; n++) at = name.indexOf(letters[n]!, at + 1)
    if (at < 0) return false // nor from any later one
    if (at - from < maxSpread * letters.length) return true
  }
  return false
}

/** The best of some things by their names, best first; equals keep their order. */
export function best<T>(all: readonly T[], query: string, names: (t: T) => readonly string[], max: number): T[] {
  const scored = all.map((t, n) => ({ t, n, score: Math.max(0, ...names(t).map(name => (name === "" ? 0 : fit(name, query)))) }))
  return scored
    .filter(s => s.score > 0)
    .sort((a, b) => b.score - a.score || a.n - b.n)
    .slice(0, max)
    .map(s => s.t)
}

/** A text as a regular expression of RE2 that finds it, in any case. */
export const literally = (text: string): string => "(?i)" + text.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&")

/** A text in pieces, where it has the words looked for and where not. */
export function pieces(text: string, looked: string): { text: string; hit: boolean }[] {
  if (looked === "") return [{ text, hit: false }]
  const low = text.toLowerCase()
  const word = looked.toLowerCase()
  if (low.length !== text.length) return [{ text, hit: false }] // lower case is longer in some scripts: positions would lie
  const out: { text: string; hit: boolean }[] = []
  let from = 0
  for (let at = low.indexOf(word); at >= 0; at = low.indexOf(word, from)) {
    if (at > from) out.push({ text: text.slice(from, at), hit: false })
    out.push({ text: text.slice(at, at + word.length), hit: true })
    from = at + word.length
  }
  if (from < text.length) out.push({ text: text.slice(from), hit: false })
  return out
}
