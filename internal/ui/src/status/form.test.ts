import { describe, expect, it } from "vitest"
import { answerOf, formOf, presets, schemaText } from "./form"

const object = (properties: object, required: string[] = []) => ({ type: "object", properties, required })

describe("the form of a schema", () => {
  it("asks for nothing without one", () => {
    expect(formOf(undefined)).toEqual([])
    expect(formOf({ type: "object" })).toEqual([])
  })

  it("knows text, choices, numbers and booleans", () => {
    const form = formOf(object({ why: { type: "string" }, format: { type: "string", enum: ["jpeg", "webp"], title: "Format" }, most: { type: "integer", minimum: 1, default: 5 }, keep_old: { type: "boolean" } }, ["format"]))
    expect(form?.map(f => `${f.kind} ${f.title}${f.required ? "!" : ""}`)).toEqual(["text Why", "choice Format!", "number Most", "boolean Keep old"])
    const values = { ...presets(form!), format: "1", most: "7" }
    expect(answerOf(form!, values)).toEqual({ content: { format: "webp", most: 7, keep_old: false }, wrong: {} })
    expect(answerOf(form!, { ...values, format: "", most: "0.5" }).wrong).toEqual({ format: "Choose one.", most: "A whole number." })
    expect(answerOf(form!, { ...values, most: "0" }).wrong).toEqual({ most: "At least 1." })
  })

  it.each([
    ["a list", object({ tags: { type: "array", items: { type: "string" } } })],
    ["something nested", object({ at: { type: "object" } })],
    ["a rule that no field can say", { ...object({ a: { type: "string" } }), oneOf: [] }],
    ["a field that is asked for and not described", object({ a: { type: "string" } }, ["b"])],
    ["no schema", "yes"],
    ["too many fields", object(Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f${n}`, { type: "string" }])))],
  ])("leaves %s to JSON", (_, schema) => expect(formOf(schema)).toBeNull())

  it("takes a name that objects have anyway for a name", () => {
    const form = formOf(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}'))!
    const { content } = answerOf(form, presets(form))
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype)
    expect(content).toEqual({})
  })
})

describe("a hostile schema", () => {
  it("may name its fields like what every object has", () => {
    const form = formOf(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"},"toString":{"type":"boolean"}}}'))!
    expect(form.map(f => f.key)).toEqual(["__proto__", "constructor", "toString"])
    const { content, wrong } = answerOf(form, Object.assign(presets(form), { constructor: "x" }))
    expect([Object.keys(wrong), Object.keys(content)]).toEqual([["constructor"], ["toString"]])
    expect(({} as Record<string, unknown>).polluted).toBe(undefined)
  })

  it("may be too deep to be written", () => {
    const deep: unknown = JSON.parse('{"a":'.repeat(100_000) + "1" + "}".repeat(100_000))
    expect(schemaText(deep)).toBe(null)
    expect(schemaText({ a: 1 })).toBe('{"a":1}')
  })
})
