import * as A from "@automerge/automerge"

// plain turns a value of a document into JSON that keeps the types apart:
// what JSON lacks becomes an object with one "@" key.
export function plain(value) {
  if (value === null || typeof value === "boolean" || typeof value === "string") return value
  if (typeof value === "bigint") return { "@int": value.toString() }
  if (typeof value === "number") {
    if (Number.isFinite(value) && !Object.is(value, -0)) return value
    return { "@float": Object.is(value, -0) ? "-0" : String(value) }
  }
  if (value instanceof Date) return { "@date": Number.isNaN(value.getTime()) ? null : value.getTime() }
  if (value instanceof Uint8Array) return { "@bytes": Buffer.from(value).toString("hex") }
  if (A.isCounter(value)) return { "@counter": value.value }
  if (A.isImmutableString(value)) return { "@string": value.toString() }
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, plain(value[key])]))
}

// texts lists every visible text object: its path, characters, spans, marks.
export function texts(doc) {
  const found = []
  const walk = (value, path) => {
    if (typeof value === "string") {
      found.push({ path, text: value, spans: plain(A.spans(doc, path)), marks: plain(A.marks(doc, path)) })
    } else if (Array.isArray(value)) {
      value.forEach((v, i) => walk(v, [...path, i]))
    } else if (value !== null && typeof value === "object" && Object.getPrototypeOf(value) === Object.prototype) {
      for (const key of Object.keys(value).sort()) walk(value[key], [...path, key])
    }
  }
  walk(doc, [])
  return found
}

// describe is everything that two copies of a saved document must agree on.
export function describe(saved) {
  const doc = A.load(saved)
  try {
    return descriptionOf(doc)
  } finally {
    A.free(doc)
  }
}

function descriptionOf(doc) {
  return { heads: A.getHeads(doc).sort(), doc: plain(doc), texts: texts(doc) }
}
