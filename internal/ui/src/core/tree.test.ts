import assert from "node:assert/strict"
import { test } from "vitest"
import { rowsOf } from "./rows"
import type { Block } from "./schema"
import { chance } from "./testing/contexts"
import { Tree } from "./tree"

const block = (id: string, fields: Partial<Block> = {}): Block => ({ id, kind: "text", role: "user", status: "done", parent: "", order: id, form: "text", content: id, meta: "", deleted: false, collapsed: false, excluded: false, path: ["pages", "", id], actor: "", madeAt: null, ...fields })
const shown = (tree: Tree) => rowsOf(tree).map(row => "-".repeat(row.depth) + row.id)

test("blocks stand in order", () => {
  const cases: [string, Block[], string[]][] = [
    ["siblings by key", [block("b", { order: "2" }), block("a", { order: "3" }), block("c", { order: "1" })], ["c", "b", "a"]],
    ["ties by id", [block("b", { order: "1" }), block("a", { order: "1" })], ["a", "b"]],
    ["children below", [block("a"), block("b"), block("c", { parent: "a" }), block("d", { parent: "c" })], ["a", "-c", "--d", "b"]],
    ["a missing parent", [block("b"), block("a", { parent: "gone" })], ["a", "b"]],
    ["a deleted subtree", [block("a", { deleted: true }), block("b", { parent: "a" }), block("c")], ["c"]],
    ["a circle", [block("c", { parent: "b" }), block("b", { parent: "c" }), block("d", { parent: "c" }), block("e")], ["b", "-c", "--d", "e"]],
    ["its own parent", [block("a", { parent: "a" }), block("b")], ["a", "b"]],
    ["a collapsed block", [block("a", { collapsed: true }), block("b", { parent: "a" }), block("c", { parent: "b" }), block("d")], ["a", "d"]],
  ]
  for (const [name, blocks, want] of cases) assert.deepEqual(shown(new Tree(blocks)), want, name)
})

test("a line says how many children hang below it, and whether they are left out", () => {
  const tree = new Tree([block("a", { collapsed: true }), block("b", { parent: "a" }), block("c", { parent: "a", deleted: true }), block("d", { parent: "b" }), block("e", { collapsed: true })])
  assert.deepEqual(rowsOf(tree), [{ id: "a", depth: 0, children: 1, folded: true }, { id: "e", depth: 0, children: 0, folded: false }])
  assert.deepEqual(rowsOf(tree, [], true).map(row => row.id), ["a", "b", "d", "e"])
})

test("a tree that is too deep goes on at the root", () => {
  const name = (n: number) => `b${String(n).padStart(4, "0")}`
  const rows = rowsOf(new Tree(Array.from({ length: 1200 }, (_, n) => block(name(n), { parent: n ? name(n - 1) : "" }))))
  assert.equal(rows.length, 1200)
  assert.equal(Math.max(...rows.map(row => row.depth)), 511)
  assert.deepEqual(rows.filter(row => row.depth === 0).map(row => row.id), ["b0000", "b0512", "b1024"])
})

test("a tree that takes in changes is the tree built anew", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const random = chance(seed)
    const id = () => `b${random(12 + seed)}`
    const tree = new Tree()
    let rows = rowsOf(tree)
    for (let round = 0; round < 60; round++) {
      const steps = new Map<string, Block | undefined>()
      for (let n = 1 + random(4); n > 0; n--) {
        const at = id()
        const gone = random(20) === 0
        const old = tree.blocks.get(at)
        steps.set(at, gone ? undefined : random(3) && old ? { ...old, content: String(round), collapsed: random(4) === 0 } : block(at, { parent: random(2) ? id() : "", order: String(random(5)), deleted: random(6) === 0 }))
      }
      tree.update([...steps].map(([at, after]) => ({ before: tree.blocks.get(at), after })).filter(s => s.before || s.after))
      rows = rowsOf(tree, rows)
      const anew = new Tree(tree.blocks.values())
      assert.deepEqual(rows, rowsOf(anew), `seed ${seed}, round ${round}`)
      for (const at of tree.blocks.keys()) {
        assert.equal(tree.parentOf(at), anew.parentOf(at))
        assert.deepEqual(tree.below(at), anew.below(at))
      }
    }
  }
})

test("a line that is as it was is the same object", () => {
  const tree = new Tree([block("a"), block("b"), block("c", { parent: "a" })])
  const before = rowsOf(tree)
  assert.equal(rowsOf(tree, before), before)
  tree.update([{ before: undefined, after: block("d", { parent: "b" }) }])
  const after = rowsOf(tree, before)
  assert.equal(after[0], before[0])
  assert.equal(after[1], before[1])
  assert.notEqual(after[2], before[2])
})
