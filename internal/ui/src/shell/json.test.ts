import * as A from "@automerge/automerge/slim"
import { expect, test } from "vitest"
import { pretty } from "./json"

test("what JSON lacks has a readable form", () => {
  const doc = A.from<Record<string, unknown>>({ bytes: new Uint8Array([1, 255]), at: new Date(0), n: new A.Counter(3), word: new A.ImmutableString("w"), text: "<script>" })
  expect(JSON.parse(pretty(doc))).toEqual({ bytes: "bytes(2) 01ff", at: "1970-01-01T00:00:00.000Z", n: 3, word: "w", text: "<script>" })
})

test("a huge document is cut", () => {
  expect(pretty({ text: "x".repeat(600_000) })).toMatch(/… and more$/)
})

test("a document that is not there is no text", () => {
  expect(pretty(undefined)).toBe("")
})
