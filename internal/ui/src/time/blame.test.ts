import { describe, expect, it } from "vitest"
import { ageOf, moved, spansOf, type BlameSpan } from "./blame"
import { foldStates } from "./states"

const run = (text: string, author: string, time = "2026-11-12T14:00:00Z") => ({ text, author, time, start: 0, len: [...text].length })

describe("spansOf", () => {
  it("counts in UTF-16 units what the server counts in code points", () => {
    const { content, spans } = spansOf({ runs: [run("a😀", "amy"), run("é", "bob"), run("x", "bob")] })!
    expect(content).toBe("a😀éx")
    expect(spans.map(s => [s.from, s.to, s.author])).toEqual([[0, 3, "amy"], [3, 5, "bob"]])
  })

  it("keeps apart what one author wrote at different times", () => {
    expect(spansOf({ runs: [run("a", "amy"), run("b", "amy", "2026-11-13T14:00:00Z")] })!.spans.length).toBe(2)
  })

  it("bounds the number of spans, and still covers the text", () => {
    const { content, spans } = spansOf({ runs: Array.from({ length: 20_000 }, (_, i) => run("ab", i % 2 ? "amy" : "bob")) })!
    expect(spans.length).toBeLessThanOrEqual(4000)
    expect(spans.at(-1)!.to).toBe(content.length)
  })

  it("reads nothing out of what is no blame", () => {
    expect(spansOf({ runs: [{ author: "amy" }] })).toBeNull()
    for (const bad of [null, 3, {}, { runs: "x" }]) expect(spansOf(bad)!.spans).toEqual([])
  })
})

describe("moved", () => {
  const spans = (text: string): BlameSpan[] => [...text].map((c, i) => ({ from: i, to: i + 1, author: c, via: "", time: 0 }))

  it("leaves everybody what they wrote, and what is new to nobody", () => {
    let seed = 7
    const next = (n: number) => (seed = (seed * 48271) % 2147483647) % n
    const word = () => Array.from({ length: next(12) }, () => "abcd"[next(4)]).join("")
    for (let round = 0; round < 500; round++) {
      const [before, after] = [word(), word()]
      let at = 0
      for (const s of moved(spans(before), before, after)) {
        expect(s.from).toBe(at)
        at = s.to
        if (s.author) expect(after.slice(s.from, s.to)).toBe(s.author)
      }
      expect(at).toBe(after.length)
    }
  })

  it("puts what is typed inside a stretch between its halves", () => {
    const out = moved([{ from: 0, to: 4, author: "amy", via: "", time: 0 }], "abcd", "abXYcd")
    expect(out.map(s => [s.from, s.to, s.author])).toEqual([[0, 2, "amy"], [2, 4, ""], [4, 6, "amy"]])
  })
})

it("tells ages apart", () => {
  const now = Date.parse("2026-11-12T14:00:00Z")
  const hours = (n: number) => ageOf(now - n * 3_600_000, now)
  expect([hours(-1), hours(0.5), hours(5), hours(50), hours(500), hours(5000), hours(50_000)]).toEqual([0, 0, 1, 2, 3, 4, 5])
})

describe("foldStates", () => {
  it("takes together what one author did at one sitting", () => {
    const entry = (version: number, seconds: number, author: string, how = ["content"]) => ({ version, author, how, time: new Date(1e12 + seconds * 1000).toISOString() })
    const states = foldStates([entry(9, 500, "amy"), entry(8, 40, "bob"), entry(5, 30, "amy"), entry(3, 0, "amy", ["inserted"])])
    expect(states.map(s => [s.version, s.before, s.author, s.changes])).toEqual([[9, 8, "amy", 1], [8, 7, "bob", 1], [5, 2, "amy", 2]])
    expect(states[2]!.how).toEqual(["inserted", "content"])
    expect(foldStates([null, {}, { version: "4" }])).toEqual([])
  })
})
