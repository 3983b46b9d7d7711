import { expect, test } from "vitest"
import { textOf } from "./useFileDrop"

test("texts become blocks, with one kind of line end", async () => {
  expect(await textOf(new Blob(["# é😀\r\ntwo\rthree\n"]))).toBe("# é😀\ntwo\nthree\n")
})

test("what is no text, empty or too large does not", async () => {
  for (const bytes of [new Uint8Array([0x89, 0x50, 0x4e, 0x47]), new Uint8Array([65, 0, 66]), new Uint8Array(), new Uint8Array(600_000).fill(65)]) expect(await textOf(new Blob([bytes]))).toBe(null)
})
