// Assertions with short messages.

/** A value with its keys sorted and its special types named, for comparing and printing. */
export function canonical(value) {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("hex") }
  if (value instanceof Date) return { date: value.getTime() }
  if (typeof value === "bigint") return { bigint: String(value) }
  if (Object.is(value, -0)) return { number: "-0" }
  if (typeof value === "number" && !Number.isFinite(value)) return { number: String(value) }
  if (Array.isArray(value)) return value.map(canonical)
  if (value && typeof value === "object") {
    const name = value.constructor?.name
    if (name === "ImmutableString" || name === "RawString") return { scalar: value.toString() }
    if (name === "Counter") return { counter: value.value }
    return Object.fromEntries(
      Object.keys(value)
        .sort()
        .map(key => [key, canonical(value[key])]),
    )
  }
  return value
}

export function equal(got, want, what) {
  const [g, w] = [JSON.stringify(canonical(got)), JSON.stringify(canonical(want))]
  if (g !== w) throw new Error(`${what}: got ${clip(g)}, want ${clip(w)}`)
}

export function ok(value, what) {
  if (!value) throw new Error(what)
}

const clip = text => (String(text).length > 300 ? String(text).slice(0, 300) + "…" : text)

/** The heads of a handle as one string. */
export const headsOf = handle => [...handle.heads()].sort().join(" ")

/** Reports whether all handles have the same heads. */
export const sameHeads = (...handles) => handles.every(h => h.isReady() && headsOf(h) === headsOf(handles[0]))

export const random = n => Math.floor(Math.random() * n)
