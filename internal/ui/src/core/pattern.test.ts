import assert from "node:assert/strict"
import { test } from "vitest"
import { covering, matches } from "./pattern"

test("a pattern takes in its subjects", () => {
  const cases: [string, string, boolean][] = [
    ["ctx.*.drift.>", "ctx.a.drift.delivered", true],
    ["ctx.*.drift.>", "ctx.a.drift", false],
    ["ctx.*.drift.>", "ctx.a.block.text", false],
    ["ctx.a.>", "ctx.b.block.text", false],
    ["ctx.*.block.text", "ctx.a.block.text", true],
    ["ctx.*.block", "ctx.a.block.text", false],
    [">", "sys.node.joined", true],
  ]
  for (const [pattern, subject, want] of cases) assert.equal(matches(pattern, subject), want, `${pattern} ${subject}`)
})

test("one pattern covers several", () => {
  const cases: [string[], string | null][] = [
    [[], null],
    [["ctx.*.drift.>"], "ctx.*.drift.>"],
    [["ctx.*.drift.>", "ctx.a.drift.>"], "ctx.*.drift.>"],
    [["ctx.*.drift.>", "ctx.*.seat.>"], "ctx.*.*.>"],
    [["ctx.*.drift.>", "sys.>"], "*.>"],
    [["ctx.*.drift.staged", "ctx.*.drift.failed"], "ctx.*.drift.*"],
  ]
  for (const [patterns, want] of cases) {
    const cover = covering(patterns)
    assert.equal(cover, want)
    for (const p of patterns) assert.ok(matches(cover!, p.replaceAll("*", "x").replace(">", "y.z")), `${cover} takes in ${p}`)
  }
})
