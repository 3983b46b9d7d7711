import { expect, test } from "vitest"
import { plainLine } from "./check"
import { actWords, byContext, everyLetter, filtered, lettersFrom } from "./letters"

const place = (id: string, title: string) => ({ id, title, short: id.slice(-2) })
const row = (n: number, more: object = {}) => ({ context: place("a1", "Release"), from: place("b2", "Gallery"), block_id: `block${n}`, kind: "push", by: "amy", at: `2026-11-22T02:00:0${n}Z`, content: `finding ${n}`, ...more })

test("letters are read with the newest first", () => {
  const { letters, unread, older } = lettersFrom({ letters: [row(1), row(2, { unread: true }), row(3)], unread: 1, older: 4 })
  expect(letters.map(l => l.content)).toEqual(["finding 3", "finding 2", "finding 1"])
  expect([unread, older]).toEqual([1, 4])
  expect(letters[1]!.unread).toBe(true)
})

test("letters of one second keep the order of the server, the later first", () => {
  const at = "2026-11-22T02:00:00Z"
  expect(lettersFrom({ letters: [row(1, { at }), row(2, { at })] }).letters.map(l => l.content)).toEqual(["finding 2", "finding 1"])
})

test("what is not as it should be reads as absent", () => {
  for (const bad of [null, undefined, 7, "x", [], { letters: 3 }, { letters: [null, 3, "x", []] }]) expect(lettersFrom(bad).letters, JSON.stringify(bad)).toEqual([])
  const { letters } = lettersFrom({
    letters: [{ block_id: "b", context: "x", from: [], kind: {}, by: 3, at: "never", unread: "yes", content: ["x"], citations: [{ ref: -1, handle: "h" }, { ref: 1 }, { ref: 1e300, handle: "h" }, { ref: 2, handle: "h", quote: 3 }] }, { content: "no block" }],
    unread: -1,
    older: 1.5,
  })
  expect(letters).toHaveLength(1)
  expect(letters[0]).toMatchObject({ kind: "", by: "", at: 0, unread: false, content: "", citations: [{ ref: 2, handle: "h", quote: "" }] })
})

test("letters are narrowed to what is asked", () => {
  const { letters } = lettersFrom({ letters: [row(1, { unread: true }), row(2, { stale: true, kind: "merge" }), row(3, { act: "pending", by: "bea", context: place("c3", "Planning") })] })
  const found = (more: object) => filtered(letters, { ...everyLetter, ...more }).map(l => l.content.at(-1))
  expect(found({})).toEqual(["3", "2", "1"])
  expect(found({ unread: true })).toEqual(["1"])
  expect(found({ stale: true })).toEqual(["2"])
  expect(found({ acts: true })).toEqual(["3"])
  expect(found({ by: "bea" })).toEqual(["3"])
  expect(found({ kind: "merge" })).toEqual(["2"])
  expect(found({ context: ":c3" })).toEqual(["3"])
  expect(found({ context: ":b2" })).toEqual(["3", "2", "1"]) // where it comes from, too
  expect(found({ text: "FINDING planning" })).toEqual(["3"])
  expect(found({ text: "nowhere" })).toEqual([])
})

test("letters stand by their contexts, the one with the newest first", () => {
  const { letters } = lettersFrom({ letters: [row(1, { unread: true }), row(2, { context: place("c3", "Planning") })] })
  expect(byContext(letters).map(g => [g.place.title, g.letters.length, g.unread])).toEqual([["Planning", 1, 0], ["Release", 1, 1]])
})

test("a wish that is not known is shown as it is", () => {
  expect(actWords("granted")).toBe("may act")
  expect(actWords("__proto__")).toBe("asks to act: __proto__")
  expect(actWords("")).toBe("")
})

test("a beginning is shown without the marks of Markdown", () => {
  expect(plainLine("# Faster gallery\n\n- **three** sizes\n- `thumbs.go`", 100)).toBe("Faster gallery three sizes thumbs.go")
  expect(plainLine("## Decisions - We decided", 100)).toBe("Decisions · We decided")
  expect(plainLine("2 * 3 ** 4 and snake_case_name", 100)).toContain("snake_case_name")
  expect(plainLine("*".repeat(100_000) + "x", 10).length).toBeLessThan(20)
})
