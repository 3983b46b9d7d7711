import { expect, it } from "vitest"
import { Mean, Rate, Samples } from "./samples"

it("holds no more than it may", () => {
  const s = new Samples(3)
  for (const n of [1, 2, NaN, 3, 4]) s.push(n)
  expect(s.values).toEqual([2, 3, 4])
})

it("tells how fast a counter grows, and nothing when it begins again", () => {
  const r = new Rate()
  expect([r.next(10, 0), r.next(16, 3000), r.next(16, 3000), r.next(2, 6000), r.next(4, 7000)]).toEqual([null, 2, null, null, 2])
})

it("tells the mean of what happened in between", () => {
  const m = new Mean()
  expect([m.next(100, 2), m.next(160, 5), m.next(160, 5), m.next(0, 0), m.next(9, 3)]).toEqual([null, 20, null, null, 3])
})
