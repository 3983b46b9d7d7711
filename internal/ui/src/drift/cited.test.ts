import { expect, test } from "vitest"
import { suggested } from "./addresses"
import { citedFrom, linesIn, ranges, verdictOf, writerWords } from "./cited"
import { composed, freshId, maxBlocks, objection } from "./compose"
import { parentIn } from "./lineage"
import { bare, linesOfPiece, located } from "./match"
import { targetsFrom } from "./place"

test("a citation is read, and what is none is not", () => {
  const c = citedFrom({ handle: "h", context: "c", block_id: "b", heads: ["x", 3], first: 2, last: 3, text: "two\n", state: "fresh", now_first: 4, now_last: 5 })!
  expect(c).toMatchObject({ first: 2, last: 3, heads: ["x"], kernel: "" })
  expect(verdictOf(c)).toBe("They stand as they were, now as lines 4–5.")
  expect(verdictOf({ ...c, nowFirst: 2 })).toBe("They stand as they were.")
  expect(verdictOf({ ...c, state: "deleted" })).toContain("deleted")
  for (const bad of [null, [], "x", {}, { state: "toString" }]) expect(citedFrom(bad)).toBeNull()
})

test("lines keep their newlines", () => {
  for (const text of ["", "a", "a\n", "a\nb", "\n\n", "a\r\nb\n"]) expect(linesIn(text).join("")).toBe(text)
  expect(linesIn("a\nb\n")).toEqual(["a\n", "b\n"])
})

test("writers are named with their lines", () => {
  expect(ranges([2, 3, 4, 7])).toBe("2–4, 7")
  expect(writerWords(new Map([[2, "amy"], [3, "amy"]]))).toBe("amy")
  expect(writerWords(new Map([[2, "amy"], [3, "bea"], [4, "amy"]]))).toBe("amy (2, 4), bea (3)")
  expect(writerWords(new Map())).toBe("")
})

test("a selection in rendered Markdown is found in its source", () => {
  const source = "# Cold reads\n\nA **cold** read takes `900` ms.\n\n- a warm one [1]\n- a cold read\n"
  expect(linesOfPiece(source, "A cold read takes 900 ms.")).toEqual({ first: 3, last: 3 })
  expect(linesOfPiece(source, "takes 900 ms.\na warm one")).toEqual({ first: 3, last: 5 })
  expect(linesOfPiece(source, "cold read", bare("Cold reads A cold read takes 900 ms. a warm one [1] a").text.length)).toEqual({ first: 6, last: 6 })
  expect(linesOfPiece(source, "nowhere")).toBeNull()
  expect(linesOfPiece(source, " — ")).toBeNull()
})

test("places count units, also behind characters outside the BMP", () => {
  const text = "😀 one **two**"
  expect(located(bare(text), "two")).toEqual([text.indexOf("two"), text.indexOf("two") + 3])
})

test("a push is put together as the server does it", () => {
  const { text, cites } = composed("Look:", [{ id: "1", kind: "tool_result", author: "bea", content: "one\ntwo\n" }, { id: "2", kind: "text", author: "", content: "  " }, { id: "3", kind: "text", author: "", content: "three" }])
  expect(text).toBe("Look:\n\n**[1] tool result by bea**\n\none\ntwo\n\n\n**[2] text**\n\nthree")
  expect(cites.map(c => c.label)).toEqual(["tool result, lines 1–2", "text, line 1"])
})

test("what cannot be pushed says why", () => {
  expect(objection(composed("", []), 0)).toContain("Write")
  expect(objection(composed("", [{ id: "1", kind: "text", author: "", content: "" }]), 1)).toContain("nothing in")
  expect(objection(composed("x", []), maxBlocks + 1)).toContain("at most")
  expect(objection(composed("é".repeat(140_000), []), 0)).toContain("256 KiB")
  expect(objection(composed("x", []), 0)).toBe("")
})

test("ids are UUIDs, and no two the same", () => {
  expect(freshId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(freshId()).not.toBe(freshId())
})

test("addresses are suggested, the likeliest first", () => {
  const { targets, kernels } = targetsFrom({ contexts: [{ id: "11", short: "aa", title: "Old release" }, { id: "22", short: "bb", title: "Release 2.4", label: "rel" }, { id: "33", short: "cc", title: "Prerelease" }, { id: "44", title: "Release, archived", archived: true }], kernels: ["lab", 3] })
  const names = (typed: string, own = "") => suggested(targets, kernels, typed, own).map(s => s.name)
  expect(names("rel")).toEqual(["Release 2.4", "Old release", "Prerelease"])
  expect(names("")).toEqual(["Prerelease", "Release 2.4", "Old release", "lab:"])
  expect(names("rel", "22")).toEqual(["Old release", "Prerelease"])
  expect(names("cc")).toEqual(["Prerelease"])
  expect(names("la")).toEqual(["lab:"])
  expect(names("[")).toEqual([])
})

test("the parent is the context above the one that was asked for", () => {
  const rows = [{ id: "p", title: "Plan" }, { id: "f", here: true, forked_from: { context: "p" } }]
  expect(parentIn({ contexts: rows })).toMatchObject({ id: "p", title: "Plan" })
  expect(parentIn({ contexts: rows.slice(1) })).toBeNull()
  expect(parentIn({ contexts: [{ ...rows[0], deleted: true }, rows[1]] })).toBeNull()
  for (const bad of [null, {}, { contexts: [null] }]) expect(parentIn(bad)).toBeNull()
})
