import assert from "node:assert/strict"
import { test } from "vitest"
import { apply, cross, diff, inPieces, shift, transform } from "./diff"

const random = (n: number) => Math.floor(Math.random() * n)
const pieces = ["a", "b", "aa", "é", "😀", "🎉", "👩‍👩‍👧", "\n", " "]
const text = (n: number) => Array.from({ length: random(n) }, () => pieces[random(pieces.length)]).join("")
const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

test("diff finds the splice", () => {
  const cases: [string, string, number | undefined, ReturnType<typeof diff>][] = [
    ["", "", undefined, null],
    ["same", "same", 2, null],
    ["", "new", undefined, { at: 0, del: 0, ins: "new" }],
    ["old", "", undefined, { at: 0, del: 3, ins: "" }],
    ["ac", "abc", 2, { at: 1, del: 0, ins: "b" }],
    ["aa", "aaa", 1, { at: 0, del: 0, ins: "a" }], // typed at the front: the caret says so
    ["aa", "aaa", 3, { at: 2, del: 0, ins: "a" }],
    ["abab", "ababab", 2, { at: 0, del: 0, ins: "ab" }],
    ["x😀y", "x🎉y", 3, { at: 1, del: 2, ins: "🎉" }], // both begin with the same half
    ["😀", "😀😀", 2, { at: 0, del: 0, ins: "😀" }],
    ["one two", "one 2", 5, { at: 4, del: 3, ins: "2" }],
  ]
  for (const [before, after, caret, want] of cases) assert.deepEqual(diff(before, after, caret), want, `${before} → ${after} at ${caret}`)
})

test("diff applied gives the text, and cuts no character in two", () => {
  for (let n = 0; n < 20_000; n++) {
    const [before, after] = [text(8), text(8)]
    const splice = diff(before, after, random(after.length + 1))
    assert.equal(splice ? apply(before, splice) : before, after)
    if (splice) {
      assert.doesNotMatch(splice.ins, lone)
      assert.doesNotMatch(before.slice(0, splice.at), lone)
      assert.doesNotMatch(before.slice(splice.at + splice.del), lone)
    }
  }
})

test("shift keeps a caret in its words", () => {
  const at = (pos: number, before: string, after: string) => shift(pos, diff(before, after)!)
  assert.equal(at(3, "one two", "ONE one two"), 7)
  assert.equal(at(3, "one two", "one two three"), 3)
  assert.equal(shift(5, { at: 2, del: 6, ins: "xy" }), 4)
  assert.equal(shift(2, { at: 2, del: 0, ins: "xy" }), 2)
})

test("transform keeps both edits where they do not overlap", () => {
  for (let n = 0; n < 20_000; n++) {
    const base = "0123456789"
    const theirs = { at: random(11), del: 0, ins: "T" }
    theirs.del = random(11 - theirs.at)
    const mine = { at: random(11), del: 0, ins: "M" }
    mine.del = random(11 - mine.at)
    const moved = transform(mine, theirs)
    const merged = apply(apply(base, theirs), moved)
    assert.ok(merged.includes("M"), JSON.stringify({ mine, theirs, merged }))
    // What neither touched stays, in order; what either removed is gone.
    const gone = new Set<string>()
    for (const s of [mine, theirs]) for (const c of base.slice(s.at, s.at + s.del)) gone.add(c)
    assert.equal(merged.replace(/[MT]/g, ""), [...base].filter(c => !gone.has(c)).join(""), JSON.stringify({ mine, theirs, merged }))
  }
})

test("a splice in pieces comes to the same", () => {
  for (let n = 0; n < 5000; n++) {
    const [before, ins] = [text(20), text(20)]
    const whole = (at: number) => (/[\udc00-\udfff]/.test(before[at] ?? "") ? at - 1 : at)
    const at = whole(random(before.length + 1))
    const splice = { at, del: Math.max(0, whole(at + random(before.length - at + 1)) - at), ins }
    const pieces = [...inPieces(before, splice, 4)]
    let now = before
    for (const piece of pieces) {
      now = apply(now, piece)
      assert.doesNotMatch(now, lone)
    }
    assert.equal(now, apply(before, splice))
    for (const piece of pieces) {
      assert.ok(piece.del + piece.ins.length <= 4)
      assert.doesNotMatch(piece.ins, lone)
    }
  }
})

test("a splice crosses several that were made around it", () => {
  const mine = { at: 4, del: 3, ins: "MM" }
  const theirs = [{ at: 0, del: 0, ins: "front " }, { at: 16, del: 0, ins: "!" }]
  const over = cross(mine, theirs)
  assert.equal(apply(theirs.reduce(apply, "abc:xyzend"), over.mine), "front abc:MMend!")
  assert.equal(over.theirs.reduce(apply, apply("abc:xyzend", mine)), "front abc:MMend!")
  assert.deepEqual(cross(mine, []), { mine, theirs: [] })
})
