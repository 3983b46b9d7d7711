import { expect, test } from "vitest"
import { ancestors, rowFrom, rowsFrom, treeOf, type ContextRow, type TreeNode } from "./rows"

const url = "automerge:4NMNnkMhL8jXrdJ9jamS58PAVdXu"
const row = (id: string, origin = ""): ContextRow => ({ id, origin, short: id, label: "", url, title: id, blocks: 0, archived: false })
const shape = (nodes: readonly TreeNode[]): unknown => nodes.map(n => (n.forks.length > 0 ? [n.row.id, shape(n.forks)] : n.row.id))

test("forks stand below what they were forked from, in the order of their making; the newest context is first", () => {
  const rows = [row("1"), row("2"), row("3", "1"), row("4", "3"), row("5", "1"), row("6")]
  expect(shape(treeOf(rows))).toEqual(["6", "2", ["1", [["3", ["4"]], "5"]]])
})

test("a fork of what is not listed stands at the top", () => {
  expect(shape(treeOf([row("2", "gone"), row("3", "2")]))).toEqual([["2", ["3"]]])
})

test("what was forked from itself, or in a circle, is in the tree once", () => {
  expect(shape(treeOf([row("1", "1"), row("2", "3"), row("3", "2")]))).toEqual([["2", ["3"]], "1"])
  expect(ancestors([row("2", "3"), row("3", "2")], "2")).toEqual(["3", "2"])
})

test("the ancestors of a context, nearest first", () => {
  expect(ancestors([row("1"), row("2", "1"), row("3", "2")], "3")).toEqual(["2", "1"])
  expect(ancestors([row("1")], "none")).toEqual([])
})

test("what is no row is left out, and fields of other types read as absent", () => {
  expect(rowsFrom("no list")).toEqual([])
  expect(rowsFrom([null, 1, {}, { id: "x", url: "javascript:alert(1)" }, { id: 5, url }])).toEqual([])
  expect(rowFrom({ id: "a", url, title: 7, blocks: "many", archived: "yes", forked_from: { context: "b" } })).toEqual({ id: "a", short: "", label: "", url, title: "", blocks: 0, archived: false, origin: "b" })
})

test("a row that was kept in the browser is read again as it was", () => {
  const kept = rowFrom({ id: "a", url, title: "T", forked_from: { context: "b" } })!
  expect(rowFrom(JSON.parse(JSON.stringify(kept)))).toEqual(kept)
})
