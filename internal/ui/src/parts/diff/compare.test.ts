import { describe, expect, it } from "vitest"
import { compare, parseUnified, textOf } from "./compare"
import { foldsOf, rowsOf, tally } from "./rows"

const shape = (before: string, after: string) => compare(before, after).lines.map(l => ({ same: " ", del: "-", ins: "+" })[l.kind] + textOf(l))

describe("compare", () => {
  it("tells the lines that stayed, went and came", () => {
    expect(shape("one\ntwo\nthree\n", "one\nzwei\nthree\nfour\n")).toEqual([" one", "-two", "+zwei", " three", "+four"])
    expect(shape("", "new\n")).toEqual(["+new"])
    expect(shape("old", "")).toEqual(["-old"])
  })

  it("gives both texts back, whatever they are", () => {
    const words = ["a", "b", "", "  x", "é😀", "long line with words"]
    let seed = 1
    const next = () => (seed = (seed * 48271) % 2147483647)
    for (let round = 0; round < 300; round++) {
      const text = () => Array.from({ length: next() % 12 }, () => words[next() % words.length]).join("\n")
      const [a, b] = [text(), text()]
      const { lines } = compare(a, b)
      const side = (gone: "ins" | "del") => lines.filter(l => l.kind !== gone).map(textOf)
      const trimmed = (s: string) => (s === "" ? [] : s.replace(/\n$/, "").split("\n"))
      expect(side("ins")).toEqual(trimmed(a))
      expect(side("del")).toEqual(trimmed(b))
    }
  })

  it("marks the words that differ, and none in lines that have nothing in common", () => {
    const [del, ins] = compare("write the notes\n", "write better notes\n").lines
    expect(del!.parts.filter(p => p.changed).map(p => p.text)).toEqual(["the"])
    expect(ins!.parts.filter(p => p.changed).map(p => p.text)).toEqual(["better"])
    expect(compare("alpha\n", "omega\n").lines.every(l => l.parts.every(p => !p.changed))).toBe(true)
  })

  it("says when only the last line break differs", () => {
    expect(compare("a\n", "a").ending).toBe("ins")
    expect(compare("a", "a\n").ending).toBe("del")
    expect(compare("a", "b").ending).toBeUndefined()
  })

  it("is bounded for texts of a megabyte without a line in common", () => {
    const text = (c: string) => Array.from({ length: 30_000 }, (_, i) => `${c}${(i * 7919) % 30011} some more words here`).join("\n")
    const { lines } = compare(text("a"), text("b"))
    expect(lines.length).toBe(60_000)
    const one = compare("x".repeat(1 << 20), "y".repeat(1 << 20))
    expect(one.lines.length).toBe(2)
  })
})

describe("rows", () => {
  const many = Array.from({ length: 100 }, (_, i) => `line ${i}`)

  it("folds what did not change, and opens it again", () => {
    const hunk = compare(many.join("\n"), many.map((l, i) => (i === 50 ? "other" : l)).join("\n"))
    const rows = rowsOf([hunk], "inline", new Set())
    expect(foldsOf(hunk)).toEqual([{ from: 0, to: 47 }, { from: 55, to: 101 }])
    expect(rows.filter(r => r.row === "fold").length).toBe(2)
    expect(rowsOf([hunk], "inline", new Set(["0.0", "0.55"])).length).toBe(101)
  })

  it("puts what was rewritten beside what it became", () => {
    const rows = rowsOf([compare("a\nb\nc\n", "a\nx\n")], "split", new Set())
    expect(rows.map(r => (r.row === "pair" ? [r.left && textOf(r.left), r.right && textOf(r.right)] : r))).toEqual([["a", "a"], ["b", "x"], ["c", null]])
  })
})

describe("parseUnified", () => {
  it("counts on from the lines before a part of a text", () => {
    const [hunk] = parseUnified("--- a\n+++ b\n@@ -1 +1 @@\n-old\n+new\n", 3, 5)
    expect(hunk!.lines.map(l => [l.before, l.after])).toEqual([[4, 0], [0, 6]])
  })
  it("reads what the server answers", () => {
    const hunks = parseUnified("--- a/x\n+++ b/x\n@@ -1,3 +1,3 @@\n Ship the release\n-write the notes\n+write better notes\n tell everyone\n@@ -10 +10,2 @@\n ten\n+eleven\n\\ No newline at end of file\n")
    expect(hunks.length).toBe(2)
    expect(tally(hunks)).toEqual({ ins: 2, del: 1 })
    expect(hunks[1]!.lines[1]).toMatchObject({ kind: "ins", after: 11 })
    expect(rowsOf(hunks, "inline", new Set()).filter(r => r.row === "gap").length).toBe(1)
  })

  it("takes no harm from what is no diff", () => {
    for (const text of ["", "hello", "@@ -1,3 +1,3 @@\nnot so", "--- a\n+++ b\n@@ nonsense @@"]) expect(parseUnified(text)).toBeInstanceOf(Array)
  })
})
