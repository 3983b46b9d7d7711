import { expect, it } from "vitest"
import { hitsIn } from "./find"

it("finds words as they stand, not as a pattern", () => {
  const blocks = [{ id: "a", content: "Cold Reads (p95)" }, { id: "b", content: "nothing" }, { id: "c", content: "COLD" }]
  expect(hitsIn(blocks, " cold ")).toEqual([{ id: "a", text: "Cold" }, { id: "c", text: "COLD" }])
  expect(hitsIn(blocks, "(p95)")).toEqual([{ id: "a", text: "(p95)" }])
  expect(hitsIn(blocks, "c.ld")).toEqual([])
  expect(hitsIn(blocks, "[\\")).toEqual([])
  expect(hitsIn(blocks, "  ")).toEqual([])
})
