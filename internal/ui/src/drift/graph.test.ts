import { expect, test } from "vitest"
import { busiest, folded, graphFrom, narrowed, newestAt, trafficOf, wholeGraph } from "./graph"
import { lettersFrom } from "./letters"
import { targetsFrom } from "./place"

const end = (id: string) => ({ id, title: id.toUpperCase() })
const edge = (from: string, to: string, kind = "push", more: object = {}) => ({ from: end(from), to: end(to), kind, count: 1, last: "2026-11-22T02:00:00Z", ...more })
const { targets } = targetsFrom({ contexts: [end("a"), end("b"), { ...end("old"), archived: true }, end("alone"), { title: "no id" }, null] })

test("edges join contexts, those of other kernels and hidden ones too", () => {
  const letters = lettersFrom({ letters: [{ block_id: "x", context: end("b"), from: end("a"), kind: "push", stale: true }, { block_id: "y", context: end("b"), from: { kernel: "lab", id: "z", title: "Bench" }, kind: "push" }] }).letters
  const g = graphFrom({ edges: [edge("a", "b"), edge("a", "b", "push", { count: 2 }), { ...edge("", "b"), from: {} }, { ...edge("", "b"), from: { kernel: "lab", id: "z" } }, edge("a", "b", "constructor"), null, 7] }, targets, letters)
  expect(g.edges.map(e => [e.from, e.to, e.count, e.stale])).toEqual([[":a", ":b", 3, 1], [":", ":b", 1, 0], ["lab:z", ":b", 1, 0]])
  expect(g.nodes.map(n => [n.key, n.kind])).toEqual([[":a", "context"], [":b", "context"], [":old", "context"], [":alone", "context"], [":", "hidden"], ["lab:z", "foreign"]])
  expect(g.nodes.at(-1)!.place.title).toBe("Bench")
})

test("answers that are none make an empty graph", () => {
  for (const bad of [null, 3, [], { edges: "x" }, { edges: [[], null, {}] }]) expect(graphFrom(bad, [], []).edges).toEqual([])
})

test("the graph is narrowed", () => {
  const g = graphFrom({ edges: [edge("a", "b"), edge("b", "a", "fork"), edge("a", "old"), edge("b", "c", "pull", { last: "2026-11-01T00:00:00Z" })] }, targets, [])
  const keys = (more: object) => narrowed(g, { ...wholeGraph, ...more }).nodes.map(n => n.key).sort()
  expect(keys({})).toEqual([":a", ":b", ":c"])
  expect(narrowed(g, wholeGraph).alone).toBe(1)
  expect(keys({ alone: true })).toEqual([":a", ":alone", ":b", ":c"])
  expect(keys({ archived: true })).toEqual([":a", ":b", ":c", ":old"])
  expect(keys({ since: Date.parse("2026-11-20") })).toEqual([":a", ":b"])
  expect(keys({ kinds: new Set(["pull"]) })).toEqual([":b", ":c"])
  expect(keys({ text: "c" })).toEqual([":b", ":c"])
  expect(keys({ text: "alone" })).toEqual([":alone"])
  expect(keys({ text: "nothing like it" })).toEqual([])
})

test("forks with nothing but their fork are folded, and unfolded", () => {
  const forks = Array.from({ length: 8 }, (_, n) => edge("a", `f${n}`, "fork"))
  const g = graphFrom({ edges: [...forks, edge("f0", "b")] }, [], [])
  const small = folded(g)
  expect(small.nodes.map(n => n.key).sort()).toEqual([":a", ":b", ":f0", "forks :a"])
  expect(small.nodes.find(n => n.kind === "cluster")).toMatchObject({ members: 7, place: { title: "7 forks" } })
  expect(small.edges.every(e => small.nodes.some(n => n.key === e.from) && small.nodes.some(n => n.key === e.to))).toBe(true)
  expect(folded(g, new Set([":a"]))).toBe(g)
})

test("what came and went is counted, forks aside", () => {
  const g = graphFrom({ edges: [edge("a", "b", "push", { count: 3 }), edge("b", "a"), edge("a", "c", "fork")] }, [], [])
  expect(trafficOf(g.edges, ":a")).toEqual({ came: 1, went: 3, stale: 0 })
})

test("the newest letters at a node and at an edge", () => {
  const letter = (from: string, to: string, n: number, kind = "push") => ({ block_id: `l${n}`, from: end(from), context: end(to), kind, at: `2026-11-22T02:00:0${n}Z` })
  const { letters } = lettersFrom({ letters: [letter("a", "b", 1), letter("b", "c", 2), letter("a", "b", 3, "pull")] })
  expect(newestAt(letters, ":b").map(l => l.block)).toEqual(["l3", "l2", "l1"])
  expect(newestAt(letters, ":a", ":b", "push").map(l => l.block)).toEqual(["l1"])
  expect(newestAt(letters, ":b", "", "", 1)).toHaveLength(1)
})

test("of too many contexts the busiest are drawn", () => {
  const g = graphFrom({ edges: [edge("a", "b", "push", { count: 9 }), edge("b", "c"), edge("c", "d", "fork"), edge("d", "e", "pull", { count: 4 })] }, [], [])
  expect(busiest(g)).toBe(g)
  const few = busiest(g, 3)
  expect(few.nodes.map(n => n.key)).toEqual([":b", ":a", ":d"])
  expect(few.edges.map(e => e.key)).toEqual([":a :b push"])
})
