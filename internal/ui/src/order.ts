// Order keys: a block's place among its siblings is a string of base-62
// digits, compared as text. A new place is a key between two others; random
// last digits keep two people who insert at one spot from making equal keys.

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const width = 8 // digits of a key made at an end: room for 62^8 steps

const value = (key: string, i: number) => (i < key.length ? digits.indexOf(key[i]!) : 0)

/** A random source: a number in [0, 1). */
export type Random = () => number

/**
 * A key above `low` and below `high`; "" stands for the start, null for the end.
 * When they leave no room (equal or foreign keys) it returns a key just above `low`.
 */
export function between(low: string, high: string | null, random: Random = Math.random): string {
  if (high === null) return stepped(low, 1, random)
  if (low === "" && high.length >= width) {
    const key = stepped(high, -1, random)
    if (key > "" && key < high) return key
  }
  if (high <= low) return low + digits[1 + Math.floor(random() * 61)]!
  // Copy what both share, then leave them behind at the first digit with room.
  let key = ""
  let open = false // key is already below high
  for (let i = 0; ; i++) {
    const lo = i < low.length ? value(low, i) : -1
    const a = Math.max(lo, 0)
    const b = open ? 62 : value(high, i)
    if (b - a > 1) {
      const from = a + 1
      const pick = from + Math.floor(((b - from) * (1 + random())) / 3)
      return key + digits[pick]! + digits[1 + Math.floor(random() * 61)]!
    }
    key += digits[a]!
    if (a < b) open = true
  }
}

/** A key one small random step above or below, of a fixed number of digits, so that appending keeps keys short. */
function stepped(key: string, sign: 1 | -1, random: Random): string {
  if (key === "") return digits[31]! + tail(width - 1, random)
  const head = key.slice(0, width).padEnd(width, "0")
  let rest = sign * (1 + Math.floor(random() * 62 * 62))
  const out = [...head].map(c => Math.max(0, digits.indexOf(c)))
  for (let i = width - 1; i >= 0 && rest !== 0; i--) {
    const sum = out[i]! + rest
    out[i] = ((sum % 62) + 62) % 62
    rest = Math.floor(sum / 62)
  }
  if (rest !== 0) return sign > 0 ? key + tail(2, random) : ""
  return out.map(v => digits[v]!).join("").replace(/0$/, "1")
}

function tail(n: number, random: Random): string {
  let s = ""
  for (let i = 0; i < n; i++) s += digits[1 + Math.floor(random() * 61)]!
  return s
}
