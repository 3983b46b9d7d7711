import { expect, test } from "vitest"
import { fitted, smooth } from "./drawing"
import { laidOut, type LayoutInput } from "./layout"

const size = { width: 184, height: 46 }
const input = (keys: string[], lines: [string, string][], more: Partial<LayoutInput> = {}): LayoutInput => ({
  boxes: keys.map(key => ({ key, ...size })),
  lines: lines.map(([from, to], n) => ({ key: `${n}`, from, to, label: 0 })),
  direction: "right",
  aspect: 1.5,
  ...more,
})

test("edges run in the direction, and circles end", () => {
  const right = laidOut(input(["a", "b", "c"], [["a", "b"], ["b", "c"], ["c", "a"], ["a", "b"], ["a", "a"]]))
  expect(Object.keys(right.nodes).sort()).toEqual(["a", "b", "c"])
  expect(Object.keys(right.lines)).toHaveLength(5)
  expect(right.nodes.a!.x).toBeLessThan(right.nodes.b!.x)
  const down = laidOut(input(["a", "b"], [["a", "b"]], { direction: "down" }))
  expect(down.nodes.a!.y).toBeLessThan(down.nodes.b!.y)
})

test("no two nodes lie on each other, and all lie in the drawing", () => {
  const keys = Array.from({ length: 60 }, (_, n) => `n${n}`)
  const lines = keys.slice(1, 40).map((key, n): [string, string] => [keys[Math.floor(n / 3)]!, key])
  const out = laidOut(input(keys, lines))
  const at = keys.map(k => out.nodes[k]!)
  for (const [n, p] of at.entries()) {
    expect(p.x - size.width / 2).toBeGreaterThanOrEqual(-0.5)
    expect(p.y + size.height / 2).toBeLessThanOrEqual(out.height + 0.5)
    for (const q of at.slice(n + 1)) expect(Math.abs(p.x - q.x) >= size.width - 0.5 || Math.abs(p.y - q.y) >= size.height - 0.5, `${n}`).toBe(true)
  }
})

test("ends that are no nodes, and nothing at all, are borne", () => {
  expect(laidOut(input([], [])).width).toBe(0)
  const out = laidOut(input(["a"], [["a", "gone"], ["gone", "a"]]))
  expect(Object.keys(out.lines)).toEqual([])
  expect(out.nodes.a).toEqual({ x: 92, y: 23 })
})

test("keys are but names", () => {
  const out = laidOut(input(["__proto__", "constructor", "a b"], [["constructor", "a b"]]))
  expect(out.nodes["constructor"]).toHaveProperty("x")
  expect(Object.getPrototypeOf(out.nodes)).toBe(null)
})

test("five hundred contexts are laid out", () => {
  const keys = Array.from({ length: 500 }, (_, n) => `n${n}`)
  const lines = keys.slice(1).flatMap((key, n): [string, string][] => [[keys[(n * 7) % (n + 1)]!, key], ...(n % 3 === 0 ? [[key, keys[(n * 13) % 500]!] as [string, string]] : [])])
  expect(Object.keys(laidOut(input(keys, lines)).nodes)).toHaveLength(500)
})

test("names are cut between characters", () => {
  expect(fitted("Cache")).toBe("Cache")
  const long = fitted("🎉".repeat(40))
  expect(long).toMatch(/^(🎉)+…$/u)
  expect(long.length).toBeLessThan(40)
})

test("a line goes through its ends", () => {
  expect(smooth([])).toBe("")
  expect(smooth([{ x: 0, y: 0 }, { x: 1, y: 2 }])).toBe("M0 0L1 2")
  expect(smooth([{ x: 0, y: 0 }, { x: 5, y: 5 }, { x: 10, y: 0 }])).toBe("M0 0Q5 5 10 0")
})
