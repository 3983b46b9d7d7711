// Order keys: a block's place among its siblings is a string of base-62
// digits, compared as text. Keys made here have the shape that the server's
// have: levels of an integer, four random digits and a counter, "a5k3Xqa1".
// Integers sort as text and never end (a0 … az, b00 …), so keys stay short
// however many blocks are added at one place; the random digits keep runs that
// several people write at one place at the same time apart.

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const zero = "a0"
const firstOfRun = "a1"
const jitterChars = 4
const maxIntegerChars = 12

/** Where a key is wanted. */
export interface Gap {
  /** Keys of the neighbours; "" at the start, null at the end. */
  low: string
  high: string | null
  /** The block before is by the same author: the run goes on. */
  afterOwn?: boolean
}

/** A key above `low` and below `high`. Where equal keys leave no room it is right above `low`. */
export function keyIn({ low, high, afterOwn }: Gap): string {
  const fits = (key: string | null): key is string => key !== null && key > low && (high === null || key < high)
  const levels = parse(low)
  const last = levels.at(-1)
  if (low === "" && high === null) return zero + jitter() + firstOfRun
  if (afterOwn && last?.counter) {
    const next = increment(last.counter)
    const key = next && last.before + last.place + last.jitter + next
    if (fits(key)) return key
  }
  for (const level of levels) {
    // The highest level with room makes the shortest key.
    const next = increment(level.place)
    const key = next && level.before + next + jitter() + firstOfRun
    if (fits(key)) return key
  }
  if (high !== null) {
    for (const level of parse(high)) {
      const next = decrement(level.place)
      const key = next && level.before + next + jitter() + firstOfRun
      if (fits(key)) return key
    }
  }
  const inside = low + zero + jitter() + firstOfRun
  if (fits(inside)) return inside
  const between = middle(low, high)
  return fits(between) ? between : inside
}

/** A key between two of any shape, digit by digit; null if there is no room. */
function middle(low: string, high: string | null): string | null {
  let key = ""
  let free = high === null // key is below high already
  for (let i = 0; i <= low.length || (!free && i < high!.length); i++) {
    const a = i < low.length ? digits.indexOf(low[i]!) : 0
    const b = !free && i < high!.length ? digits.indexOf(high![i]!) : digits.length
    if (a < 0 || b < 0 || (!free && b < a)) return null
    if (b - a > 1) return key + digits[a + 1 + random(b - a - 1)]! + jitter() + firstOfRun
    key += digits[a]!
    free ||= a < b
  }
  return key + jitter() + firstOfRun
}

interface Level {
  before: string // the levels above
  place: string // an integer
  jitter: string
  counter: string // an integer, "" if this level is cut short
}

/** Takes a key apart as far as it has our shape. */
function parse(key: string): Level[] {
  const levels: Level[] = []
  for (let at = 0; at < key.length; ) {
    const place = integerAt(key, at)
    if (!place) break
    const rest = at + place.length + jitterChars
    const counter = rest < key.length ? integerAt(key, rest) : ""
    levels.push({ before: key.slice(0, at), place, jitter: key.slice(at + place.length, rest), counter })
    if (!counter) break
    at = rest + counter.length
  }
  return levels
}

/** The integer that begins at a place in a key, "" if none does: its first digit says how long it is. */
function integerAt(key: string, at: number): string {
  const c = key[at]!
  const n = c >= "a" && c <= "z" ? c.charCodeAt(0) - 97 + 2 : c >= "A" && c <= "Z" ? 90 - c.charCodeAt(0) + 2 : 0
  const integer = key.slice(at, at + n)
  return n > 0 && n <= maxIntegerChars && integer.length === n && [...integer].every(d => digits.includes(d)) ? integer : ""
}

/** The integer after one, null at the end of the range. */
export function increment(integer: string): string | null {
  const b = [...integer]
  for (let i = b.length - 1; i > 0; i--) {
    if (b[i] !== "z") {
      b[i] = digits[digits.indexOf(b[i]!) + 1]!
      return b.join("")
    }
    b[i] = "0"
  }
  const head = b[0]!
  if (head === "Z") return zero
  const next = String.fromCharCode(head.charCodeAt(0) + 1)
  if (head < "a") return next + b.slice(2).join("")
  return b.length >= maxIntegerChars ? null : next + b.slice(1).join("") + "0"
}

/** The integer before one, null at the end of the range. */
export function decrement(integer: string): string | null {
  const b = [...integer]
  for (let i = b.length - 1; i > 0; i--) {
    if (b[i] !== "0") {
      b[i] = digits[digits.indexOf(b[i]!) - 1]!
      return b.join("")
    }
    b[i] = "z"
  }
  const head = b[0]!
  if (head === "a") return "Zz"
  const next = String.fromCharCode(head.charCodeAt(0) - 1)
  if (head > "Z") return next + b.slice(2).join("")
  return b.length >= maxIntegerChars ? null : next + b.slice(1).join("") + "z"
}

const random = (n: number) => Math.floor(Math.random() * n)

function jitter(): string {
  let s = ""
  for (let i = 0; i < jitterChars; i++) s += digits[random(digits.length)]!
  return s
}
