// A seeded random source (mulberry32), and the only one of these scripts:
// the same seed gives the same bytes.

export class Random {
  constructor(seed) {
    this.state = seed >>> 0
  }

  // next returns a number in [0, 1).
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0
    let t = this.state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }

  // below returns an integer in [0, n).
  below(n) {
    return Math.floor(this.next() * n)
  }

  between(low, high) {
    return low + this.below(high - low + 1)
  }

  chance(p) {
    return this.next() < p
  }

  pick(list) {
    return list[this.below(list.length)]
  }

  // weighted picks from [[weight, value], ...].
  weighted(choices) {
    let at = this.next() * choices.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, value] of choices) {
      at -= weight
      if (at < 0) return value
    }
    return choices[choices.length - 1][1]
  }

  bytes(n) {
    const b = new Uint8Array(n)
    for (let i = 0; i < n; i++) b[i] = this.below(256)
    return b
  }

  hex(n) {
    return Buffer.from(this.bytes(n)).toString("hex")
  }
}
