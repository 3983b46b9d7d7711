// The form of a question: what its schema asks for, as fields. A schema comes
// from whoever asked; what a form cannot say is asked for as JSON.

export type Field =
  | { kind: "text"; key: string; title: string; hint: string; required: boolean; preset: string; long: boolean; most: number }
  | { kind: "choice"; key: string; title: string; hint: string; required: boolean; preset: string; choices: { value: string; label: string; is: unknown }[] }
  | { kind: "number"; key: string; title: string; hint: string; required: boolean; preset: string; whole: boolean; min: number | undefined; max: number | undefined }
  | { kind: "boolean"; key: string; title: string; hint: string; required: boolean; preset: boolean }

/** null: a form cannot say it, and JSON is asked for. */
export type Form = Field[] | null

const maxFields = 40
const maxChoices = 100

const isFields = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null && !Array.isArray(v)
const text = (v: unknown, most = 2000): string => (typeof v === "string" ? v.slice(0, most) : "")
const number = (v: unknown): number | undefined => (typeof v === "number" && Number.isFinite(v) ? v : undefined)

/** A schema as text, for comparing and reading; null for one so deep that it cannot be written. */
export function schemaText(schema: unknown, indent = 0): string | null {
  try {
    return JSON.stringify(schema ?? null, null, indent)
  } catch {
    return null
  }
}

/** Reads the schema of an answer. No schema asks for nothing. */
export function formOf(schema: unknown): Form {
  if (schema === undefined || schema === null) return []
  if (!isFields(schema)) return null
  const known = new Set(["type", "properties", "required", "title", "description", "additionalProperties", "$schema"])
  if (Object.keys(schema).some(k => !known.has(k))) return null
  if (schema.type !== undefined && schema.type !== "object") return null
  if (schema.properties === undefined) return schema.required === undefined || (Array.isArray(schema.required) && schema.required.length === 0) ? [] : null
  if (!isFields(schema.properties)) return null
  const required = Array.isArray(schema.required) ? schema.required.filter((k): k is string => typeof k === "string") : []
  const entries = Object.entries(schema.properties)
  if (entries.length > maxFields || required.some(k => !entries.some(([key]) => key === k))) return null
  const fields: Field[] = []
  for (const [key, property] of entries) {
    const field = fieldOf(key, property, required.includes(key))
    if (!field) return null
    fields.push(field)
  }
  return fields
}

function fieldOf(key: string, p: unknown, required: boolean): Field | null {
  if (!isFields(p)) return null
  const base = { key, title: text(p.title, 200) || words(key.slice(0, 200)), hint: text(p.description), required }
  const choices = choicesOf(p)
  if (choices) {
    if (choices.length === 0 || choices.length > maxChoices) return null
    const preset = choices.find(c => c.is === p.default)
    return { ...base, kind: "choice", choices, preset: preset?.value ?? "" }
  }
  switch (p.type) {
    case "boolean":
      return { ...base, kind: "boolean", preset: p.default === true }
    case "integer":
    case "number":
      return { ...base, kind: "number", whole: p.type === "integer", preset: number(p.default)?.toString() ?? "", min: number(p.minimum), max: number(p.maximum) }
    case "string": {
      const most = number(p.maxLength) ?? 8000
      return { ...base, kind: "text", preset: text(p.default), long: most > 200 && p.format === undefined, most: Math.max(1, Math.min(most, 8000)) }
    }
    default:
      return null
  }
}

/** What may be chosen: of "enum", or of "oneOf" with a constant each; null if it is no choice. */
function choicesOf(p: Record<string, unknown>): { value: string; label: string; is: unknown }[] | null {
  const scalar = (v: unknown) => ["string", "number", "boolean"].includes(typeof v)
  if (Array.isArray(p.enum)) {
    const names = Array.isArray(p.enumNames) ? p.enumNames : []
    return p.enum.filter(scalar).map((is, n) => ({ value: String(n), label: text(names[n], 200) || String(is).slice(0, 200), is }))
  }
  if (Array.isArray(p.oneOf)) return p.oneOf.flatMap((o, n) => (isFields(o) && scalar(o.const) ? [{ value: String(n), label: text(o.title, 200) || String(o.const).slice(0, 200), is: o.const }] : []))
  return null
}

/** "keep_old" in words. */
const words = (key: string) => {
  const s = key.replace(/[_-]+/g, " ").trim()
  return s ? s[0]!.toUpperCase() + s.slice(1) : key
}

export type Values = Record<string, string | boolean>

export const presets = (fields: readonly Field[]): Values => Object.assign(Object.create(null), Object.fromEntries(fields.map(f => [f.key, f.preset]))) as Values

/** What is wrong with the values of a form, by field; and the answer when nothing is. */
export function answerOf(fields: readonly Field[], values: Values): { content: Record<string, unknown>; wrong: Record<string, string> } {
  const content: [string, unknown][] = []
  const wrong: [string, string][] = []
  for (const f of fields) {
    const v = values[f.key]
    if (f.kind === "boolean") {
      content.push([f.key, v === true])
      continue
    }
    const said = typeof v === "string" ? v : ""
    if (said.trim() === "") {
      if (f.required) wrong.push([f.key, f.kind === "choice" ? "Choose one." : "This is asked for."])
      continue
    }
    if (f.kind === "text") {
      if (said.length > f.most) wrong.push([f.key, `At most ${f.most} characters.`])
      content.push([f.key, said])
    } else if (f.kind === "choice") {
      const choice = f.choices.find(c => c.value === said)
      if (choice) content.push([f.key, choice.is])
      else wrong.push([f.key, "Choose one."])
    } else {
      const n = Number(said)
      if (!Number.isFinite(n) || (f.whole && !Number.isInteger(n))) wrong.push([f.key, f.whole ? "A whole number." : "A number."])
      else if (f.min !== undefined && n < f.min) wrong.push([f.key, `At least ${f.min}.`])
      else if (f.max !== undefined && n > f.max) wrong.push([f.key, `At most ${f.max}.`])
      else content.push([f.key, n])
    }
  }
  return { content: Object.fromEntries(content), wrong: Object.fromEntries(wrong) }
}
