import { describe, expect, it } from "vitest"
import { linesOf, type Source } from "./lines"

interface Fake {
  id: string
  kind?: string
  parent?: string
  depth?: number
  folded?: boolean
}

function source(blocks: Fake[]): Source {
  const of = (id: string) => blocks.filter(b => b.parent === id).map(b => b.id)
  return {
    rows: blocks.map(b => ({ id: b.id, depth: b.depth ?? 0, children: of(b.id).length, folded: b.folded ?? false })),
    block: id => {
      const b = blocks.find(b => b.id === id)
      return b && { kind: b.kind ?? "text", parent: b.parent ?? "", deleted: false }
    },
    children: of,
  }
}

describe("linesOf", () => {
  it("takes the results of a call into its card", () => {
    const lines = linesOf(source([{ id: "call", kind: "tool_call" }, { id: "r1", kind: "tool_result", parent: "call", depth: 1 }, { id: "r2", kind: "tool_result", parent: "call", depth: 1 }, { id: "note", parent: "call", depth: 1 }, { id: "next" }]))
    expect(lines.map(l => [l.id, l.children, l.results])).toEqual([["call", 1, ["r1", "r2"]], ["note", 0, []], ["next", 0, []]])
  })

  it("gives a result whose call is not there a line of its own", () => {
    expect(linesOf(source([{ id: "r", kind: "tool_result", parent: "gone" }])).map(l => l.id)).toEqual(["r"])
  })

  it("puts what hangs below a result where the result would stand", () => {
    const lines = linesOf(source([{ id: "call", kind: "tool_call" }, { id: "r", kind: "tool_result", parent: "call", depth: 1 }, { id: "deep", parent: "r", depth: 2 }]))
    expect(lines.map(l => [l.id, l.depth])).toEqual([["call", 0], ["deep", 1]])
  })

  it("knows the results of a folded call, which have no rows", () => {
    const all = source([{ id: "call", kind: "tool_call", folded: true }, { id: "r", kind: "tool_result", parent: "call", depth: 1 }])
    const folded = { ...all, rows: all.rows.slice(0, 1) }
    expect(linesOf(folded)[0]!.results).toEqual(["r"])
  })

  it("keeps the lines that did not change", () => {
    const first = linesOf(source([{ id: "a" }, { id: "b" }]))
    const second = linesOf(source([{ id: "a" }, { id: "b" }, { id: "c" }]), new Map(first.map(l => [l.id, l])))
    expect(second[0]).toBe(first[0])
    expect(second[1]).toBe(first[1])
  })
})

it("looks a few times at each of ten thousand results below one call", () => {
  const ids = Array.from({ length: 10_000 }, (_, n) => `r${n}`)
  const rows = ["call", ...ids].map((id, n) => ({ id, depth: n ? 1 : 0, children: n ? 0 : ids.length, folded: false }))
  let looked = 0
  const lines = linesOf({
    rows,
    block: id => (looked++, { kind: id === "call" ? "tool_call" : "tool_result", parent: id === "call" ? "" : "call", deleted: false }),
    children: id => (looked++, id === "call" ? ids : []),
  })
  expect([lines.length, lines[0]!.results.length]).toEqual([1, ids.length])
  expect(looked).toBeLessThanOrEqual(4 * rows.length)
})
