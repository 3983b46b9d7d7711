import { describe, expect, it } from "vitest"
import { firstLines, headOf, slabs, tailOf } from "./long"
import { duration, exitCode, readCall } from "./record"
import { settledParts } from "./stream"

describe("readCall", () => {
  it("takes the name from the meta and the telling argument for the summary", () => {
    const call = readCall('{"command": "go test ./...", "timeout_s": 120}', '{"tool_name":"shell"}')
    expect([call.name, call.summary]).toEqual(["shell", "go test ./..."])
    expect(call.pretty).toContain('\n  "timeout_s": 120\n')
  })

  it("reads calls that carry their name", () => {
    expect(readCall('{"name":"read","arguments":{"offset":3,"deep":{"a":1}}}', "")).toMatchObject({ name: "read", summary: 'offset: 3, deep: {"a":1}' })
  })

  it.each([
    ["no JSON", "rm -rf /", "", "tool", "rm -rf /"],
    ["an array", "[1,2]", "{}", "tool", "[1,2]"],
    ["a broken meta", "{}", "{", "tool", ""],
    ["a name that is no string", "x", '{"tool_name":{"toString":1}}', "tool", "x"],
  ])("survives %s", (_, content, meta, name, summary) => {
    expect(readCall(content, meta)).toMatchObject({ name, summary })
  })

  it("parses nothing huge", () => {
    const huge = `{"a":"${"x".repeat(10_000_000)}"}`
    expect(readCall(huge, huge)).toMatchObject({ name: "tool", lang: "" })
    expect(readCall(huge, huge).summary.length).toBeLessThan(200)
  })
})

it("knows exit codes and durations only where they are numbers", () => {
  expect(exitCode("{}", '{"exit_code":2}')).toBe(2)
  expect(exitCode('{"exit_code":"0"}')).toBe(null)
  expect(duration('{"duration_s":1.5}')).toBe(1500)
  expect(duration('{"duration_ms":-1}')).toBe(null)
})

describe("long texts", () => {
  it("show their first lines, then more in steps", () => {
    const text = Array.from({ length: 1000 }, (_, n) => `line ${n}`).join("\n")
    const head = headOf(text, 0)
    expect(head.text.split("\n").length).toBe(firstLines)
    expect(head.text.length + head.left).toBe(text.length)
    expect(headOf(text, 1e9)).toEqual({ text, left: 0 })
  })

  it("are not cut inside a character", () => {
    const text = "😀".repeat(5000)
    for (const part of [headOf(text, 0).text, tailOf(text).text, ...slabs(text, 777)]) expect(part).not.toMatch(/^[\udc00-\udfff]|[\ud800-\udbff]$/)
  })

  it("come in slabs that make the whole", () => {
    const text = "a\n".repeat(50_000) + "b".repeat(50_000)
    expect(slabs(text).join("")).toBe(text)
  })
})

describe("settledParts", () => {
  const paragraph = "word ".repeat(300) + "\n\n"
  it("leaves the parts before the last as they are when the text grows", () => {
    const text = paragraph.repeat(6)
    const before = settledParts(text)
    const after = settledParts(text + "and more")
    expect(before.length).toBeGreaterThan(2)
    expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
    expect(after.join("")).toBe(text + "and more")
  })

  it("does not cut fenced code", () => {
    const text = "```go\n" + paragraph.repeat(6) + "```\n"
    expect(settledParts(text).length).toBe(1)
  })
})

it("shows arguments that are too deep to be set out as they came", () => {
  const deep = '{"a":'.repeat(40_000) + "1" + "}".repeat(40_000)
  expect(readCall(deep, "{}")).toMatchObject({ name: "tool", pretty: deep, lang: "" })
})
