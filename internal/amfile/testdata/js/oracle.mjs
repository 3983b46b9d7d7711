// Tells what the npm package makes of changes. Run it in internal/interop:
//
//   node ../amfile/testdata/js/oracle.mjs
//
// Requests on stdin, every number 4 bytes big endian:
//   "B" n, n x (length, change)   the document that later questions start from
//   "T" length, change            apply to it, save, load again
//   "D" length, change            decode
// Each "T" and "D" is answered with one line of JSON.

import { createRequire } from "node:module"
import { readSync } from "node:fs"

const A = createRequire(process.cwd() + "/package.json")("@automerge/automerge")

function read(n) {
  const b = Buffer.alloc(n)
  for (let at = 0; at < n; ) {
    try {
      const got = readSync(0, b, at, n - at)
      if (got === 0) process.exit(0)
      at += got
    } catch (err) {
      if (err.code === "EOF") process.exit(0)
      if (err.code !== "EAGAIN") throw err
    }
  }
  return b
}

const number = () => read(4).readUInt32BE()
const block = () => new Uint8Array(read(number()))

// ordered is a value as JSON can compare it: keys sorted, no bigints. Of
// counters it only says that they are there: 3.5.0 itself shows other numbers
// after applying than after loading the same changes, when an increment named
// several values and some of them were replaced.
function ordered(v) {
  if (A.isCounter(v)) return "counter"
  if (typeof v === "bigint") return v.toString()
  if (v === null || typeof v !== "object" || v instanceof Uint8Array || v instanceof Date) return v
  if (Array.isArray(v)) return v.map(ordered)
  return Object.fromEntries(Object.keys(v).sort().map((key) => [key, ordered(v[key])]))
}

let base = A.save(A.init())

// tried applies a change to the base; sound says that the result can be saved
// and loaded with the same heads, changes and content. The content is that of
// a clone, not the view that applyChanges keeps up to date.
function tried(change) {
  let applied = false
  try {
    let [doc] = A.applyChanges(A.load(base), [change])
    applied = A.getMissingDeps(doc, []).length === 0
    const again = A.load(A.save(doc))
    const same = (f) => JSON.stringify(f(doc)) === JSON.stringify(f(again))
    const sound =
      same((d) => A.getHeads(d).sort()) &&
      same((d) => A.getAllChanges(d).map((c) => Buffer.from(c).toString("hex")).sort()) &&
      same((d) => ordered(A.clone(d)))
    if (sound) {
      const next = A.change(again, { time: 0 }, (d) => (d["after all"] = 1))
      A.load(A.save(next))
    }
    return { applied, sound }
  } catch (err) {
    return { applied, sound: false, error: String(err).slice(0, 300) }
  }
}

function decoded(change) {
  try {
    return A.decodeChange(change)
  } catch (err) {
    return { error: String(err).slice(0, 300) }
  }
}

for (;;) {
  const kind = read(1).toString()
  if (kind === "B") {
    const changes = Array.from({ length: number() }, block)
    base = A.save(A.applyChanges(A.init(), changes)[0])
    continue
  }
  const answer = kind === "T" ? tried(block()) : decoded(block())
  process.stdout.write(JSON.stringify(answer, (_, v) => (typeof v === "bigint" ? v.toString() : v)) + "\n")
}
