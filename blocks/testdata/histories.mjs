// Writes random histories of contexts, made by the unmodified npm package, one
// JSON object a line: {changes, view}. The options come as JSON in HISTORIES:
// seed, count, steps, genesis (base64), view (path of view.mjs).

import * as A from "@automerge/automerge"
import { createHash } from "node:crypto"

const options = JSON.parse(process.env.HISTORIES)
const view = (await import(options.view)).viewer(A)

let state = options.seed >>> 0
function random() {
  state = (state + 0x6d2b79f5) >>> 0
  let t = state
  t = Math.imul(t ^ (t >>> 15), t | 1)
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}
const below = (n) => Math.floor(random() * n)
const pick = (list) => list[below(list.length)]
const chance = (p) => random() < p
const hex = (n) => Array.from({ length: n }, () => "0123456789abcdef"[below(16)]).join("")
const raw = (s) => new A.ImmutableString(s)
const pageOf = (id) => (createHash("sha256").update(id).digest()[0] % 64).toString(16).padStart(2, "0")
const words = ["a", "bc", "é", "e\u0301", "😀", "👍🏼", "漢字", "\n", "x y", "", "0123456789".repeat(5)]
const word = () => pick(words) + pick(words)
const newID = () => `${hex(8)}-${hex(4)}-7${hex(3)}-${hex(4)}-${hex(12)}`
const statuses = ["pending", "running", "done", "error", "cancelled", "paused", ""]

// places returns [page map, id, page] of every block.
function places(d) {
  const found = []
  for (const [name, page] of Object.entries(d.pages)) {
    if (typeof page !== "object" || page === null) continue
    for (const [id, b] of Object.entries(page)) if (typeof b === "object" && b !== null && !A.isImmutableString(b)) found.push([page, id, name])
  }
  return found
}

function makeBlock(d, ids) {
  const b = { kind: raw(pick(["text", "tool_call", "thinking"])), role: raw(pick(["user", "model"])), order: raw(pick("abc") + hex(below(3))) }
  if (chance(0.4)) b.parent = raw(pick([...ids, newID()]))
  if (chance(0.8)) b.status = raw(pick(statuses))
  if (chance(0.5)) b.text = word() + word()
  if (chance(0.3)) b.body = raw(word())
  if (chance(0.3)) b.chunks = [raw(word()), raw(word())]
  if (chance(0.2)) b.meta = raw('{"lang":"go"}')
  if (chance(0.2)) b.kind = "text" // a Text: what clients do by mistake
  if (chance(0.1)) b.deleted = true
  if (chance(0.1)) b.nested = { own: [1, { deep: "x" }] }
  return b
}

// splice positions are UTF-16 units; one inside a pair is moved by the package.
function spliceText(doc, path, text) {
  const pos = below(text.length + 1)
  A.splice(doc, path, pos, chance(0.5) ? below(Math.min(6, text.length - pos) + 1) : 0, chance(0.7) ? word() : "")
}

const edits = [
  [12, (d, ids) => { const id = chance(0.2) ? pick(ids) : newID(); ids.push(id); const p = d.pages[pageOf(id)]; if (p) p[id] = makeBlock(d, ids) }],
  [30, (d, ids, [p, id, page]) => { if (typeof p[id].text === "string") spliceText(d, ["pages", page, id, "text"], p[id].text) }],
  [8, (d, ids, [p, id]) => { const c = p[id].chunks; if (Array.isArray(c)) for (let n = below(3); n >= 0; n--) c.push(raw(word())) }],
  [4, (d, ids, [p, id]) => { const c = p[id].chunks; if (Array.isArray(c) && c.length) { const i = below(c.length); if (chance(0.3)) c.deleteAt(i); else if (chance(0.5)) c[i] = raw(word()); else c.insertAt(i, raw(word())) } }],
  [3, (d, ids, [p, id]) => { const c = p[id].chunks; if (Array.isArray(c)) c.push(pick(["plain string", "plain", 7, null])) }],
  [4, (d, ids, [p, id, page]) => { const c = p[id].chunks; const i = Array.isArray(c) ? c.findIndex((v) => typeof v === "string") : -1; if (i >= 0) spliceText(d, ["pages", page, id, "chunks", i], c[i]) }],
  [10, (d, ids, [p, id]) => { p[id].status = raw(pick(statuses)) }],
  [6, (d, ids, [p, id]) => { p[id].order = raw(pick("abc") + hex(below(3))) }],
  [5, (d, ids, [p, id]) => { p[id].parent = raw(pick(ids)) }],
  [2, (d, ids, [p, id]) => { delete p[id].parent }],
  [6, (d, ids, [p, id]) => { const f = pick(["deleted", "deleted", "collapsed", "excluded", "ephemeral"]); if (chance(0.2)) delete p[id][f]; else p[id][f] = pick([true, true, false]) }],
  [3, (d, ids, [p, id]) => { p[id].meta = raw(pick(["{}", '{"exit_code":1}'])) }],
  [3, (d, ids, [p, id]) => { p[id].text = word() }],
  [3, (d, ids, [p, id]) => { delete p[id][pick(["text", "body", "chunks", "status", "kind", "order"])] }],
  [3, (d, ids, [p, id]) => { p[id].body = raw(word()) }],
  [3, (d, ids, [p, id]) => { p[id].chunks = [raw(word())] }],
  [3, (d, ids, [p, id]) => { const body = p[id].body; if (A.isImmutableString(body)) { p[id].text = body.toString(); delete p[id].body } }], // thaw
  [3, (d, ids, [p, id]) => { const b = p[id]; if (typeof b.text === "string") { b.body = raw(b.text); delete b.text } }], // and back
  [4, (d, ids, [p, id]) => { const c = p[id].chunks; if (Array.isArray(c)) { p[id].body = raw(c.map((v) => (A.isImmutableString(v) || typeof v === "string" ? v.toString() : "")).join("")); delete p[id].chunks } }], // seal
  [2, (d, ids, [p, id]) => { p[id][pick(["kind", "role", "status", "order", "parent", "body", "meta", "text"])] = pick(["plain", 5, null, true, ["list"], { map: 1 }]) }],
  [2, (d, ids, [p, id, page]) => { const f = pick(["order", "kind", "body"]); if (typeof p[id][f] === "string") A.splice(d, ["pages", page, id, f], 0, 0, pick("abc")) }],
  [3, (d, ids, [p, id]) => { delete p[id] }],
  [1, (d, ids, [p, id]) => { p[id] = pick([5, raw("no block"), {}]) }],
  [3, (d, ids, [p, id, page]) => { const t = p[id].text; if (typeof t === "string" && t.length > 2) A.mark(d, ["pages", page, id, "text"], { start: 0, end: 1 + below(t.length - 1), expand: pick(["before", "after", "both", "none"]) }, "bold", true) }],
  [3, (d, ids, [p, id, page]) => { const t = p[id].text; if (typeof t === "string") A.splitBlock(d, ["pages", page, id, "text"], below(t.length + 1), { type: new A.ImmutableString("p"), parents: [], attrs: {} }) }],
  [4, (d) => { if (typeof d.title === "string") spliceText(d, ["title"], d.title) }],
  [0.5, (d) => { d.title = word() }],
  [0.3, (d) => { d.title = raw(word()) }],
  [0.3, (d) => { d.pages[pageOf(newID())] = {} }],
  [0.1, (d) => { d.pages = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [i.toString(16).padStart(2, "0"), {}])) }],
  [0.3, (d) => { d.schema = pick([1, 1, 2, raw("1")]) }],
  [1, (d) => { d.foreign = { list: [1, "two", { three: [3] }], map: { a: "b" } } }],
  [0.5, (d) => { d.pages.extra = { x: 1 }; d.pages["40"] = {} }],
  [0.5, (d, ids) => { const id = newID(); d.pages[pageOf(id) === "00" ? "01" : "00"][id] = makeBlock(d, ids) }],
]
const total = edits.reduce((sum, [w]) => sum + w, 0)

function edit(d, ids) {
  let at = random() * total
  const [, f] = edits.find(([w]) => (at -= w) < 0) ?? edits[0]
  const found = places(d)
  if (f.length === 3 && found.length === 0) return
  // Most edits meet in the same few blocks.
  f(d, ids, found[chance(0.7) ? below(Math.min(3, found.length)) : below(found.length)])
}

function history() {
  const genesis = A.load(new Uint8Array(Buffer.from(options.genesis, "base64")), { actor: hex(32) })
  const shared = newID()
  const peers = [0, 1, 2].map((i) => A.clone(genesis, { actor: hex(pick([2, 30])) + `0${i}` }))
  const ids = [newID(), newID(), shared]
  let time = 1_700_000_000
  for (let step = 0; step < options.steps; step++) {
    const i = below(peers.length)
    if (chance(0.2)) {
      const j = below(peers.length)
      if (i !== j) peers[i] = A.merge(peers[i], peers[j])
    } else if (chance(0.03)) {
      peers[i] = A.emptyChange(peers[i], { time: time++ })
    } else if (chance(0.05)) {
      // An edit of an old state, as undo makes them.
      const past = A.getHistory(peers[i])
      const heads = [past[Math.max(0, past.length - 1 - below(6))].change.hash]
      peers[i] = A.changeAt(peers[i], heads, { time: time++ }, (d) => edit(d, ids)).newDoc
    } else {
      peers[i] = A.change(peers[i], { time: time++ }, (d) => { for (let n = below(3); n >= 0; n--) edit(d, ids) })
    }
  }
  return peers.reduce((all, p) => A.merge(all, p))
}

for (let n = 0; n < options.count; n++) {
  let doc
  try {
    doc = history()
  } catch (err) {
    // Edits of old states make the package itself panic now and then.
    if (err.name !== "PanicError" && err.constructor.name !== "PanicError") throw err
    n--
    continue
  }
  process.stdout.write(JSON.stringify({
    changes: A.getAllChanges(doc).map((c) => Buffer.from(c).toString("base64")),
    // Loaded afresh: after edits of old states the package's view of a document
    // it has merged is now and then not what it saves.
    view: view(A.load(A.save(doc)), pageOf),
  }) + "\n")
}
