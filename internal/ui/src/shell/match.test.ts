import { expect, test } from "vitest"
import { best, fit, literally, pieces } from "./match"

test("names that fit better come first", () => {
  const names = ["a planet", "explain", "Plan", "planning", "p l a n", "other"]
  expect(best(names, "plan", n => [n], 10)).toEqual(["Plan", "planning", "a planet", "explain", "p l a n"])
})

test("letters that are scattered over a long name are no match", () => {
  expect(fit("A very long title that nobody would push but agents do", "agts")).toBeGreaterThan(0)
  expect(fit("A very long title that nobody would write but agents do: summary of the investigation", "push")).toBe(0)
})

test("every word must occur, in any order and any case", () => {
  expect(fit("Release notes of May", "may rel")).toBeGreaterThan(0)
  expect(fit("Release notes of May", "june rel")).toBe(0)
})

test("nothing typed fits everything, and one letter does not match across a word", () => {
  expect(best(["a", "b"], " ", n => [n], 10)).toEqual(["a", "b"])
  expect(fit("xyz", "q")).toBe(0)
})

test("the best of several names counts", () => {
  expect(best([{ t: "Something", l: "webp" }, { t: "Web", l: "" }], "webp", x => [x.t, x.l], 10).map(x => x.t)).toEqual(["Something"])
})

test("a text is looked for as it is, not as an expression", () => {
  expect(new RegExp(literally("a.b(c)[d]{2}|$^*+?\\").slice(4), "i").test("A.B(C)[D]{2}|$^*+?\\")).toBe(true)
  expect(new RegExp(literally("a.c").slice(4)).test("abc")).toBe(false)
})

test("pieces join to the text, with what was looked for in them", () => {
  const cut = pieces("Thumb, a thumb", "thumb")
  expect(cut.map(p => p.text).join("")).toBe("Thumb, a thumb")
  expect(cut.filter(p => p.hit).map(p => p.text)).toEqual(["Thumb", "thumb"])
  expect(pieces("İi", "i").map(p => p.text).join("")).toBe("İi") // longer in lower case
  expect(pieces("text", "")).toEqual([{ text: "text", hit: false }])
})
