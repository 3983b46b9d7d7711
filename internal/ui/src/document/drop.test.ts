import { describe, expect, it } from "vitest"
import { placeOf, pull, whereIn, type Tree } from "./drop"

const parents: Record<string, string> = { a: "", b: "", b1: "b", b2: "b", c: "", x: "y", y: "x" }
const tree: Tree = {
  parentOf: id => parents[id] ?? "",
  children: id => Object.keys(parents).filter(child => parents[child] === id),
  opened: id => id === "b",
}

describe("a drop", () => {
  it.each([
    [["a"], "c", "below", { parent: "", after: "c" }],
    [["a"], "c", "above", { parent: "", after: "b" }],
    [["c"], "a", "above", { parent: "", after: null }],
    [["a"], "c", "into", { parent: "c", after: null }],
    [["a"], "b", "into", { parent: "b", after: "b2" }],
    [["a"], "b", "below", { parent: "b", after: null }],
    [["a"], "b2", "above", { parent: "b", after: "b1" }],
    [["b1"], "b2", "below", { parent: "b", after: "b2" }],
    [["a", "b1"], "b2", "above", { parent: "b", after: null }],
  ] as const)("of %s on %s, %s", (ids, target, where, want) => {
    expect(placeOf(tree, ids, target, where)).toEqual(want)
  })

  it.each([
    [["b"], "b1", "below"],
    [["b"], "b", "into"],
    [["b"], "b2", "into"],
    [["a"], "a", "above"],
  ] as const)("of %s on %s, %s is none", (ids, target, where) => {
    expect(placeOf(tree, ids, target, where)).toBe(null)
  })

  it("ends where parents run in a circle", () => {
    expect(placeOf(tree, ["a"], "x", "into")).toEqual({ parent: "x", after: "y" })
  })

  it("means the thirds of a row, and of a tall one its edges", () => {
    expect([0, 14, 29].map(y => whereIn(y, 0, 30))).toEqual(["above", "into", "below"])
    expect([10, 100, 390].map(y => whereIn(y, 0, 400))).toEqual(["above", "into", "below"])
  })

  it("pulls the list along at its edges only", () => {
    expect(pull(0, 0, 800)).toBeLessThan(0)
    expect(pull(400, 0, 800)).toBe(0)
    expect(pull(799, 0, 800)).toBeGreaterThan(0)
  })
})
