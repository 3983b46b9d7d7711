import { Text } from "@codemirror/state"
import { expect, it } from "vitest"
import type { Line } from "./answers"
import { moved } from "./blameGutter"

const line = (n: number) => ({ line: n }) as Line
const names = (by: (Line | null)[]) => by.map(l => l?.line ?? 0)
const text = (...lines: string[]) => Text.of(lines)

it("keeps the writers of lines that an edit did not touch", () => {
  const before = text("one", "two", "three")
  const by = [line(1), line(2), line(3)]
  // "two" becomes "2" and "and"
  expect(names(moved(by, before, text("one", "2", "and", "three"), [{ fromA: 4, toA: 7, fromB: 4, toB: 9 }]))).toEqual([1, 0, 0, 3])
  // "two\n" goes
  expect(names(moved(by, before, text("one", "three"), [{ fromA: 4, toA: 8, fromB: 4, toB: 4 }]))).toEqual([1, 0])
  // two edits in one line
  expect(names(moved(by, before, text("xonex", "two", "three"), [{ fromA: 0, toA: 0, fromB: 0, toB: 1 }, { fromA: 3, toA: 3, fromB: 4, toB: 5 }]))).toEqual([0, 2, 3])
})
