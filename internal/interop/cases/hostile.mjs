// Frames that no client sends. Whatever comes in, the others go on working,
// the documents stay as they are, and the process lives.
import { readFileSync } from "node:fs"
import * as A from "@automerge/automerge"
import { cbor } from "@automerge/automerge-repo"
import { equal, headsOf, ok, sameHeads } from "../lib/check.mjs"
import { hex, uleb } from "../lib/chunk.mjs"
import { find } from "../lib/client.mjs"
import { freshDocumentId, syncMessage } from "../lib/raw.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("hostile")

/**
 * Runs attacks, each from a peer of its own, while two honest clients edit one
 * document; after each the edits still travel and the process is the same.
 * `attack(raw, value, document)`; with `join` false the peer has not joined.
 */
async function besieged(t, attacks, attack, { join = true } = {}) {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ turn: 0, text: "unharmed" })
  const b = await find(ben, a.url)
  const { pid } = t.server.child
  let turn = 0
  for (const [name, value] of attacks) {
    try {
      const raw = join ? await t.raw() : await t.stranger()
      await attack(raw, value, a)
      if (join) await raw.barrier()
      turn++
      ;(turn % 2 ? a : b).change(d => (d.turn = turn))
      await until(() => a.doc().turn === turn && b.doc().turn === turn, "an honest edit")
      ok(t.server.alive && t.server.child.pid === pid, "the server died")
      raw.close()
    } catch (err) {
      throw new Error(`${name}: ${err.message}`)
    }
  }
  await until(() => sameHeads(a, b), "equal heads")
  const honest = new Set([amy, ben].map((_, i) => A.getActorId([a, b][i].doc())))
  const fresh = await find(await t.client("fresh"), a.url)
  equal(headsOf(fresh), headsOf(a), "heads at a fresh client")
  for (const change of A.getAllChanges(fresh.doc())) ok(honest.has(A.decodeChange(change).actor), "a stranger's change is in the document")
  equal(fresh.doc(), { turn, text: "unharmed" }, "document")
  return `${attacks.length} attacks`
}

const filler = n => Buffer.alloc(n, 0x61)
const nested = (open, n) => Buffer.concat([Buffer.alloc(n, open), Buffer.from([0xf6])])

/** Bytes that are no message at all. */
const garbage = [
  ["an empty frame", Buffer.alloc(0)],
  ["one byte: break", Buffer.from([0xff])],
  ["null", hex("f6")],
  ["undefined", hex("f7")],
  ["a number", hex("01")],
  ["an empty array", hex("80")],
  ["an empty map", hex("a0")],
  ["a text", cbor.encode("join")],
  ["noise", Uint8Array.from({ length: 4096 }, (_, i) => (i * 197 + 13) & 255)],
  ["a map that claims 2^32 entries", hex("bb0000000100000000")],
  ["an array that claims 2^60 items", hex("9b1000000000000000")],
  ["a byte string that claims 2^62 bytes", hex("5b4000000000000000")],
  ["a text that claims 4 GiB", hex("7affffffff")],
  ["an indefinite map without an end", hex("bf6474797065")],
  ["ten thousand nested arrays", nested(0x81, 10_000)],
  ["ten thousand nested tags", nested(0xc1, 10_000)],
  ["ten thousand nested indefinite arrays", Buffer.alloc(10_000, 0x9f)],
  ["text that is not UTF-8", hex("a16474797065626fff")],
  ["a map with one key twice", Buffer.concat([hex("a2"), Buffer.from("dtype").subarray(0, 0), hex("6474797065646a6f696e6474797065646a6f696e")])],
  ["a map with keys that are not text", hex("a20102f6f7")],
  ["two messages in one frame", Buffer.concat([cbor.encode({ type: "join" }), cbor.encode({ type: "join" })])],
]

test("bytes that are no message, after the join", { strict: true }, t => besieged(t, garbage, (raw, bytes) => raw.send(Uint8Array.from(bytes))))

test("bytes that are no message, before the join", { strict: true }, t =>
  besieged(t, garbage, (raw, bytes) => raw.send(Uint8Array.from(bytes)), { join: false }))

test("a text frame where binary belongs", { strict: true }, t =>
  besieged(t, [["text", "hello"], ["JSON", '{"type":"join","senderId":"x"}']], (raw, text) => raw.socket.send(text)))

test("every beginning of a real frame", { strict: true }, async t => {
  const attack = (raw, keep, handle) => {
    const frame = cbor.encode({ type: "sync", senderId: raw.id, targetId: raw.server, documentId: handle.documentId, data: syncMessage({ heads: A.getHeads(handle.doc()) }) })
    raw.send(Uint8Array.from(frame.subarray(0, Math.floor(frame.length * keep))))
  }
  return besieged(t, [0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99].map(keep => [`the first ${keep * 100} %`, keep]), attack)
})

const wrongJoins = [
  ["no senderId", { type: "join", peerMetadata: {}, supportedProtocolVersions: ["1"] }],
  ["an empty senderId", { type: "join", senderId: "", supportedProtocolVersions: ["1"] }],
  ["a number as senderId", { type: "join", senderId: 7, supportedProtocolVersions: ["1"] }],
  ["a senderId of 64 KiB", { type: "join", senderId: "x".repeat(1 << 16), supportedProtocolVersions: ["1"] }],
  ["metadata that is text", { type: "join", senderId: "x", peerMetadata: "all", supportedProtocolVersions: ["1"] }],
  ["a storage id that is bytes", { type: "join", senderId: "x", peerMetadata: { storageId: new Uint8Array(3) }, supportedProtocolVersions: ["1"] }],
  ["versions that are numbers", { type: "join", senderId: "x", supportedProtocolVersions: [1] }],
  ["versions that are a map", { type: "join", senderId: "x", supportedProtocolVersions: { 1: true } }],
  ["a hundred thousand versions", { type: "join", senderId: "x", supportedProtocolVersions: Array(100_000).fill("1") }],
]

test("joins of wrong shapes", { strict: true }, t => besieged(t, wrongJoins, (raw, message) => raw.send(message), { join: false }))

test("a server's own message from a client", { strict: true }, t =>
  besieged(t, ["peer", "error", "doc-unavailable", "leave", "join"].map(type => [type, type]), (raw, type, handle) =>
    raw.about(handle.documentId, type, { message: "no", selectedProtocolVersion: "1", peerMetadata: {}, supportedProtocolVersions: ["1"] }),
  ))

test("fields of wrong types", { strict: true }, async t => {
  const data = A.generateSyncMessage(A.init(), A.initSyncState())[1]
  const wrong = [null, undefined, 7, -1, 1.5, true, "text", [], {}, new Uint8Array(), [[[]]], new Date(0), 2n ** 63n]
  const attacks = []
  for (const type of ["sync", "request", "ephemeral"]) {
    for (const field of ["documentId", "data", "targetId", "senderId", ...(type === "ephemeral" ? ["count", "sessionId"] : [])]) {
      for (const value of wrong) attacks.push([`${type} with ${field} = ${String(value) || "empty"}`, { type, [field]: value }])
    }
  }
  for (const field of ["add", "remove"]) for (const value of wrong) attacks.push([`subscription with ${field} = ${value}`, { type: "remote-subscription-change", [field]: value }])
  for (const value of wrong) attacks.push([`gossip with newHeads = ${value}`, { type: "remote-heads-changed", newHeads: value }])
  for (const value of wrong) attacks.push([`gossip of heads = ${value}`, { type: "remote-heads-changed", newHeads: { someone: { heads: value, timestamp: value } } }])
  // A peer that is closed for one of these is replaced; twenty share one honest edit to keep this short.
  const groups = []
  for (let at = 0; at < attacks.length; at += 20) groups.push([`group ${at / 20}`, attacks.slice(at, at + 20)])
  await besieged(t, groups, async (first, group, handle) => {
    let raw = first
    for (const [, fields] of group) {
      if (raw.closed) raw = await t.raw()
      raw.send({ senderId: raw.id, targetId: raw.server, documentId: handle.documentId, data, count: 1, sessionId: "s", ...fields })
      await raw.barrier()
    }
  })
  return `${attacks.length} attacks`
})

test("document ids of every wrong shape", { strict: true }, async t => {
  const good = freshDocumentId()
  const ids = ["", " ", "0", "automerge:" + good, good.slice(0, -1), good + "1", good.toLowerCase(), "l" + good.slice(1), good.slice(0, 10) + "\u0000" + good.slice(11), "../../../etc/passwd", "..", "/", "1", "111111111111", "é".repeat(30), "😀", "x".repeat(65), "2".repeat(100_000), "3".repeat(63)]
  return besieged(
    t,
    ids.map(id => [`id ${JSON.stringify(id.slice(0, 40))}`, id]),
    (raw, documentId) => {
      for (const type of ["request", "sync"]) raw.about(documentId, type, { data: A.generateSyncMessage(A.from({ n: 1 }), A.initSyncState())[1] })
      raw.about(documentId, "ephemeral", { count: 1, sessionId: "s", data: cbor.encode(1) })
    },
  )
})

/** Sync messages that are none, or that ask for too much. */
function payloads() {
  const real = A.generateSyncMessage(A.from({ n: 1, text: "some text" }), A.initSyncState())[1]
  const list = [
    ["nothing", new Uint8Array()],
    ["one zero", new Uint8Array([0])],
    ["version 0x41", Uint8Array.from([0x41, ...real.subarray(1)])],
    ["version 0x44", Uint8Array.from([0x44, ...real.subarray(1)])],
    ["noise behind the version", Uint8Array.from({ length: 500 }, (_, i) => (i ? (i * 151 + 7) & 255 : 0x42))],
    ["2^63 heads", Uint8Array.from([0x42, ...uleb(2n ** 63n)])],
    ["2^40 heads", Uint8Array.from([0x42, ...uleb(2n ** 40n)])],
    ["2^40 needs", Uint8Array.from([0x42, 0, ...uleb(2n ** 40n)])],
    ["2^40 haves", Uint8Array.from([0x42, 0, 0, ...uleb(2n ** 40n)])],
    ["2^40 changes", Uint8Array.from([0x42, 0, 0, 0, ...uleb(2n ** 40n)])],
    ["a change of 2^50 bytes", Uint8Array.from([0x42, 0, 0, 0, 1, ...uleb(2n ** 50n)])],
    ["a thousand haves", Uint8Array.from([0x42, 0, 0, ...uleb(1000), ...Array(1000).fill([0, 0]).flat(), 0])],
    ["a number of eleven bytes", Uint8Array.from([0x42, ...Array(10).fill(0x80), 1])],
    ["a bloom filter of no bits per entry", hex("4200000100050100070000")],
    ["a bloom filter whose probes divide by nothing", hex("42000001000301000700")],
    ["a bloom filter with 2^32 probes", Uint8Array.from([0x42, 0, 0, 1, 0, 9, 1, 10, ...uleb(2 ** 32 - 1), 0xff, 0xff, 0])],
    ["a bloom filter of 2^32 entries", Uint8Array.from([0x42, 0, 0, 1, 0, 8, ...uleb(2 ** 32 - 1), 10, 7, 0xff, 0])],
    ["a bloom filter shorter than it says", Uint8Array.from([0x42, 0, 0, 1, 0, 4, 4, 10, 7, 0xff, 0])],
    ["a change that is no chunk", syncMessage({ changes: [filler(64)] })],
    ["a chunk of no bytes", syncMessage({ changes: [new Uint8Array()] })],
    ["heads nobody has", syncMessage({ heads: [..."0123456789abcdef"].map(c => c.repeat(64)) })],
    ["needs nobody has", syncMessage({ need: [..."0123456789abcdef"].map(c => c.repeat(64)) })],
  ]
  for (let cut = 1; cut < real.length; cut += 5) list.push([`the first ${cut} of ${real.length} bytes`, real.slice(0, cut)])
  return list
}

test("sync messages of wrong shapes, into a document that others edit", { strict: true, ms: 240_000 }, t => besieged(t, payloads(), (raw, data, handle) => raw.about(handle.documentId, "sync", { data })))

test("sync messages of wrong shapes, for a document that nobody has", { strict: true, ms: 240_000 }, t => besieged(t, payloads(), (raw, data) => raw.about(freshDocumentId(), "request", { data })))

test("a refused frame is answered with a reason", { strict: true }, async t => {
  for (const [name, send] of [
    ["a wrong document id", raw => raw.about("not-an-id", "request", { data: hex("42000001000000") })],
    ["a broken sync message", raw => raw.about(freshDocumentId(), "sync", { data: hex("42ff") })],
    ["bytes that are no message", raw => raw.send(hex("ff"))],
  ]) {
    const raw = await t.raw()
    send(raw)
    await until(() => raw.closed || raw.received.some(m => m.type === "error"), `an error or a close for ${name}`)
    const said = raw.received.find(m => m.type === "error")?.message ?? raw.closed.reason
    ok(typeof said === "string" && said.length > 5, `${name}: no reason given (${JSON.stringify(raw.closed)})`)
  }
})

test("a frame above the limit closes its sender only", { strict: true, ms: 240_000 }, async t => {
  const rss = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${t.server.child.pid}/status`, "utf8"))[1]) >> 10
  await besieged(t, [["101 MiB", 101 << 20]], async (raw, size) => {
    raw.socket.send(Buffer.alloc(size, 0x5a))
    await until(() => raw.closed, "the close", 30_000)
    ok([1009, 1006].includes(raw.closed.code), `closed with ${raw.closed.code}, want 1009`)
  })
  return `peak ${rss()} MiB`
})

test("nobody speaks in another's name", { strict: true }, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ n: 0 })
  const b = await find(ben, a.url)
  const list = []
  b.on("ephemeral-message", m => list.push(m.message))
  const raw = await t.raw()
  const forged = A.change(A.load(A.save(a.doc())), d => (d.n = 666))
  const say = (type, fields) => raw.send({ type, senderId: amy.peerId, targetId: raw.server, documentId: a.documentId, ...fields })
  say("sync", { data: syncMessage({ heads: A.getHeads(forged), changes: [A.getLastLocalChange(forged)] }) })
  say("ephemeral", { count: 1e6, sessionId: "forged", data: cbor.encode("forged") })
  say("leave", {})
  await raw.barrier()
  await until(() => (a.broadcast("real"), list.includes("real")), "a real broadcast")
  a.change(d => (d.m = 1))
  await until(() => b.doc().m === 1, "a real edit")
  equal([b.doc().n, a.doc().n], [0, 0], "the forged edit")
  ok(!list.includes("forged"), "the forged broadcast was relayed")
  equal(amy.peers.length, 1, "amy's connections")
})

test("a flood of frames slows nobody else down", { strict: true, ms: 240_000 }, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ n: 0 })
  const b = await find(ben, a.url)
  const raw = await t.raw()
  const data = A.generateSyncMessage(A.init(), A.initSyncState())[1]
  const junk = cbor.encode({ type: "ephemeral", senderId: raw.id, targetId: raw.server, documentId: a.documentId, count: 1, sessionId: "s", data: filler(2000) })
  let flooding = true
  const flood = (async () => {
    while (flooding && !raw.closed) {
      for (let n = 0; n < 50 && raw.socket.bufferedAmount < 1 << 20; n++) {
        raw.socket.send(junk)
        raw.about(a.documentId, "sync", { data })
      }
      await new Promise(next => setImmediate(next))
    }
  })()
  const took = []
  for (let n = 1; n <= 20; n++) {
    const began = performance.now()
    a.change(d => (d.n = n))
    await until(() => b.doc().n === n, `edit ${n}`)
    took.push(performance.now() - began)
  }
  flooding = false
  await flood
  return `slowest edit ${Math.round(Math.max(...took))} ms`
})
