import assert from "node:assert/strict"
import { test } from "vitest"
import { decrement, increment, keyIn } from "./order"

const random = (n: number) => Math.floor(Math.random() * n)

test("integers count up and down through every length", () => {
  for (const [a, b] of [["a0", "a1"], ["a9", "aA"], ["az", "b00"], ["bzz", "c000"], ["Zz", "a0"], ["Z0", "Z1"], ["Yzz", "Z0"], ["Xzzz", "Y00"]] as const) {
    assert.equal(increment(a), b)
    assert.equal(decrement(b), a)
    assert.ok(a < b)
  }
  let at = "Y00"
  for (let n = 0; n < 62 * 62 + 500; n++) {
    const next = increment(at)!
    assert.ok(at < next, `${at} < ${next}`)
    assert.equal(decrement(next), at)
    at = next
  }
})

test("appending ten thousand blocks keeps keys short", () => {
  for (const afterOwn of [true, false]) {
    let low = ""
    for (let n = 0; n < 10_000; n++) {
      const key = keyIn({ low, high: null, afterOwn })
      assert.ok(key > low, `${key} after ${low}`)
      low = key
    }
    assert.ok(low.length <= 12, low)
  }
})

test("a block put in front again and again keeps keys short", () => {
  let high: string | null = null
  for (let n = 0; n < 10_000; n++) {
    const key = keyIn({ low: "", high })
    assert.ok(high === null || key < high, `${key} before ${high}`)
    high = key
  }
  assert.ok(high!.length <= 12, high!)
})

test("a key fits between any two neighbours", () => {
  const keys = ["", keyIn({ low: "", high: null })].sort()
  for (let n = 0; n < 5000; n++) {
    const i = random(keys.length)
    const [low, high] = [keys[i]!, keys[i + 1] ?? null]
    const key = keyIn({ low, high, afterOwn: random(2) === 0 })
    assert.ok(key > low && (high === null || key < high), `${low} < ${key} < ${high}`)
    assert.match(key, /^[0-9A-Za-z]+$/)
    keys.splice(i + 1, 0, key)
  }
  assert.ok(Math.max(...keys.map(k => k.length)) < 200, "keys grow")
})

test("foreign and equal keys do no harm", () => {
  for (const [low, high] of [["a", "b"], ["V", "V1"], ["m", null], ["zzzz", null], ["a1", "a1"], ["b", "a"], ["-", "~"], ["é", "ü"], ["", "0"]] as const) {
    const key = keyIn({ low, high })
    assert.ok(key > low, `${key} after ${low}`)
  }
  for (const [low, high] of [["a", "b"], ["V", "V1"], ["1", "2"], ["a0", "a00001"]] as const) {
    const key = keyIn({ low, high })
    assert.ok(key > low && key < high, `${low} < ${key} < ${high}`)
  }
})

test("keys made at one place at one time differ", () => {
  const keys = new Set(Array.from({ length: 100 }, () => keyIn({ low: "a5k3Xqa1", high: "a6k3Xqa1" })))
  assert.ok(keys.size > 95, `${keys.size} of 100`)
})
