import { expect, test } from "vitest"
import { fitting, panned, resized, showing, stepped, towards, zoomed } from "./viewport"

const screen = { width: 1000, height: 500 }

test("a drawing is fitted into the middle, not larger than life", () => {
  expect(fitting({ width: 100, height: 100 }, screen)).toEqual({ x: -450, y: -200, width: 1000, height: 500 })
  const big = fitting({ width: 10_000, height: 100 }, screen)
  expect(big.width).toBeGreaterThanOrEqual(10_000)
  expect(big.x + big.width / 2).toBeCloseTo(5000)
})

test("zooming keeps the place under the pointer", () => {
  const view = { x: 0, y: 0, width: 1000, height: 500 }
  const at = { x: 0.25, y: 0.5 }
  const near = zoomed(view, screen, 2, at)
  expect(near.width).toBe(500)
  expect(near.x + near.width * at.x).toBeCloseTo(250)
  for (let n = 0, v = view; n < 50; n++, v = zoomed(v, screen, 3)) expect(v.width).toBeGreaterThanOrEqual(400)
  expect(zoomed(view, screen, NaN).width).toBe(1000)
})

test("panning and resizing keep the scale", () => {
  const view = { x: 0, y: 0, width: 2000, height: 1000 }
  expect(panned(view, screen, 10, -5)).toEqual({ x: -20, y: 10, width: 2000, height: 1000 })
  expect(resized(view, screen, { width: 500, height: 500 })).toEqual({ x: 500, y: 0, width: 1000, height: 1000 })
})

test("a view moves just as far as it must to show a node", () => {
  const view = { x: 0, y: 0, width: 1000, height: 500 }
  expect(showing(view, { x: 500, y: 250 }, { width: 100, height: 50 })).toEqual(view)
  expect(showing(view, { x: 2000, y: 250 }, { width: 100, height: 50 }).x).toBe(1066)
})

test("arrow keys go along edges first", () => {
  const nodes = { a: { x: 0, y: 0 }, b: { x: 300, y: 80 }, c: { x: 200, y: 0 }, d: { x: 0, y: 100 } }
  const joined = new Map([["a", new Set(["b"])]])
  expect(stepped(nodes, joined, "a", "right")).toBe("b")
  expect(stepped(nodes, new Map(), "a", "right")).toBe("c")
  expect(stepped(nodes, joined, "a", "down")).toBe("d")
  expect(stepped(nodes, joined, "a", "left")).toBe("")
  expect(towards(nodes, "gone", "left")).toBe("")
})
