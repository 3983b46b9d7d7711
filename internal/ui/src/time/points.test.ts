import { describe, expect, it } from "vitest"
import { indexAtTime, indexOfMoment, momentOf, pageOf } from "./points"
import { touchedBetween, stateOf } from "./past"
import { sayPoint, whoOf } from "./words"

const hash = (c: string) => c.repeat(64)
const answer = {
  context: "c", version: 9, heads: [hash("a")], changes: 8, count: 2,
  authors: [{ author: "amy", changes: 6, first: "2026-11-12T14:00:00Z", last: "2026-11-12T14:03:00Z" }],
  points: [
    { version: 3, heads: [hash("b")], first: "2026-11-12T14:00:00Z", last: "2026-11-12T14:01:00Z", author: "amy", changes: 2, how: ["inserted"], blocks: ["x"], touched: 1 },
    { version: 9, first: "2026-11-12T14:02:00Z", last: "2026-11-12T14:03:00Z", author: "bob", others: ["amy", "eve"], changes: 6, how: ["content", "title"], blocks: ["x", "y", "z"], touched: 3, merge: true },
  ],
}

describe("points", () => {
  it("reads what the server answers", () => {
    const page = pageOf(answer)
    expect(page.points.map(momentOf)).toEqual([hash("b"), "9"])
    expect(page.points[1]).toMatchObject({ merge: true, fork: false, touched: 3 })
    expect(whoOf(page.points[1]!)).toBe("bob and 2 others")
    expect(sayPoint(page.points[1]!)).toMatch(/^12 Nov \d\d:\d\d:\d\d, bob and 2 others, 3 blocks$/)
  })

  it("leaves out what is not as it should be", () => {
    for (const bad of [null, 1, "x", [], { points: 5 }, { points: [null, 7, { version: "9" }] }, { points: [{ version: Infinity }], authors: {} }])
      expect(pageOf(bad).points).toEqual([])
    expect(pageOf({ points: [{ version: 1, heads: [3, "h"], last: "soon" }] }).points[0]).toMatchObject({ heads: ["h"], last: 0 })
  })

  it("finds points by moment and by time", () => {
    const { points } = pageOf(answer)
    expect(indexOfMoment(points, hash("b"))).toBe(0)
    expect(indexOfMoment(points, "9")).toBe(1)
    expect(indexOfMoment(points, "nothing")).toBe(-1)
    expect(indexAtTime(points, Date.parse("2026-11-12T14:02:30Z"))).toBe(0)
    expect(indexAtTime(points, Date.parse("2030-01-01T00:00:00Z"))).toBe(1)
    expect(indexAtTime(points, 0)).toBe(0)
  })
})

describe("states", () => {
  const state = (...blocks: object[]) => stateOf("1", { title: "t", version: 1, block_list: blocks })
  const b = (id: string, content: string) => ({ id, content, kind: "text", role: "user", depth: 0 })

  it("says what is otherwise than before", () => {
    const { changed, made, gone } = touchedBetween(state(b("x", "1"), b("y", "1"), b("z", "1")), state(b("x", "1"), b("y", "2"), b("w", "1")))
    expect([...changed]).toEqual(["y"])
    expect([...made]).toEqual(["w"])
    expect(gone.map(g => g.block.id)).toEqual(["z"])
  })

  it("reads what is no state as an empty one", () => {
    for (const bad of [null, [], "x", { block_list: "no" }, { block_list: [null, {}, { id: 4 }] }]) expect(stateOf("1", bad).blocks).toEqual([])
  })
})
