import { expect, test } from "vitest"
import { rightToLeft } from "./direction"

test("the first letter says which way a text runs", () => {
  expect(rightToLeft("مرحبا hello")).toBe(true)
  expect(rightToLeft("1. **שלום**")).toBe(true)
  expect(rightToLeft("hello مرحبا")).toBe(false)
  expect(rightToLeft("123 …")).toBe(false)
  expect(rightToLeft("")).toBe(false)
})
