// Changes that JavaScript applies without complaint and that then break the
// document for everybody. The server must not let them through.
import * as A from "@automerge/automerge"
import { equal, headsOf, ok } from "../lib/check.mjs"
import { bodyOf, bomb, chunk, flipped, hashOf, hex } from "../lib/chunk.mjs"
import { find } from "../lib/client.mjs"
import { RawDocument, freshDocumentId, syncMessage } from "../lib/raw.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("poison")

// Hand-made changes; each sets one root key by actor aa…aa at seq 1 unless it says otherwise.
const control = hex("856f4a83422a03c0012f0010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa0101000000061503340142025602570170027f0178017f017f14017f00")
const poisons = {
  "a run of one": "856f4a83e99b1789012f0010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa0101000000061503340142025602570170027f01780101017f14017f00",
  "an unknown column": "856f4a83f0f0c38901340010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa010100000007150334014202560257017002b201027f0178017f017f14017f007f05",
  "a predecessor that is itself": "856f4a83b140475101370010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa010100000008150334014202560257017002710273027f0178017f017f14017f017f007f01",
  "a deletion of nothing": "856f4a837f5cd48f012c0010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa010100000005150334014202560270027f0178017f037f007f00",
  "a mark end without a beginning": "856f4a8339293b8d014f0010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01010000000a0104020411041305150534024204560457017002000102000001020100027f0000017e00027f0174000201027d0401077d001600610300",
  "an insertion that replaces": "856f4a830c372a4b015a0010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01010000000c010402041104130515053402420456045702700471027302000102000001020100027f0000017e00027f0174000201027f0402017f000216616202007f017f007f02",
  "an object of an unknown actor": "856f4a8336f698f601370010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa010100000008010202021503340142025602570170027f057f017f0178017f017f14017f00",
  "actors that are not used": "856f4a8351e13b5c01420010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa010100000210bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb0101061503340142025602570170027f0178017f017f14017f00",
  "an element that does not exist": "856f4a833c9d9bc3014d0010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa01010000000a010402041104130515053402420356035701700200017f0000017f0100017f0000017fe3007f0174000101017e04017e0016610200",
  "a second change without a first": "856f4a83076bbb7b012f0010aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa0201000000061503340142025602570170027f0178017f017f14017f00",
}

/** Two honest clients with a document, and a peer that has it open. */
async function scene(t) {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ text: "unharmed", n: 0 })
  const b = await find(ben, a.url)
  const raw = await t.raw()
  const doc = new RawDocument(raw, a.documentId)
  doc.push("request")
  await until(() => doc.doc.text === "unharmed", "the peer to have the document")
  return { amy, ben, a, b, raw }
}

/** Sends changes as a peer that has them would. */
function bring(raw, documentId, changes, heads = changes.map(hashOf)) {
  raw.about(documentId, "sync", { data: syncMessage({ heads: heads.sort(), changes }) })
}

/** The sender is told why; then checks that nobody else noticed. */
async function refused(t, { a, b, raw }, what) {
  await until(() => raw.closed || raw.received.some(m => m.type === "error"), `the sender of ${what} to be told`)
  const said = raw.received.find(m => m.type === "error")?.message ?? raw.closed.reason
  ok(typeof said === "string" && said.length > 5, `the sender of ${what} was given no reason`)
  const before = a.doc().n
  b.change(d => (d.n = before + 1))
  await until(() => a.doc().n === before + 1, `an honest edit after ${what}`)
  const fresh = await find(await t.client("fresh"), a.url)
  equal([headsOf(fresh), headsOf(b)], [headsOf(a), headsOf(a)], `heads after ${what}`)
  equal(fresh.doc(), { text: "unharmed", n: before + 1 }, `document after ${what}`)
  A.load(A.save(fresh.doc())) // throws when poisoned
  return said
}

for (const [what, bytes] of Object.entries(poisons)) {
  test(`${what} is refused, told and not relayed`, { strict: true }, async t => {
    const s = await scene(t)
    bring(s.raw, s.a.documentId, [hex(bytes)])
    return (await refused(t, s, what)).slice(0, 120)
  })
}

test("a sound change of the same making is relayed", {}, async t => {
  const s = await scene(t)
  bring(s.raw, s.a.documentId, [control])
  await until(() => s.a.doc().x === 1 && s.b.doc().x === 1, "the change")
  ok(!s.raw.closed && !s.raw.received.some(m => m.type === "error"), "its sender was sent an error")
})

test("poison beside a sound change does not get through", { strict: true }, async t => {
  const s = await scene(t)
  const sound = A.getLastLocalChange(A.change(A.load(A.save(s.a.doc())), d => (d.good = true)))
  bring(s.raw, s.a.documentId, [sound, hex(poisons["a deletion of nothing"])])
  await until(() => s.raw.closed || s.raw.received.some(m => m.type === "error"), "the sender to be told")
  s.b.change(d => (d.n = 7))
  await until(() => s.a.doc().n === 7, "an honest edit")
  const fresh = await find(await t.client("fresh"), s.a.url)
  await until(() => headsOf(fresh) === headsOf(s.a), "equal heads")
  ok(!A.getAllChanges(fresh.doc()).some(c => A.decodeChange(c).actor === "aa".repeat(16)), "the poison is in the document")
  A.load(A.save(fresh.doc()))
})

test("poison into a document that nobody has is not kept", { strict: true }, async t => {
  const raw = await t.raw()
  const documentId = freshDocumentId()
  bring(raw, documentId, [hex(poisons["a run of one"])])
  await until(() => raw.closed || raw.received.some(m => m.type === "error"), "the sender to be told")
  const amy = await t.client("amy")
  const handle = await amy.find(`automerge:${documentId}`, { allowableStates: ["ready", "unavailable"] })
  await until(() => handle.isUnavailable() || handle.isReady(), "an answer")
  ok(!handle.isReady() || handle.heads().length === 0, "the poison was served")
})

const broken = change => ({
  "a wrong checksum": flipped(change, 5),
  "a changed last byte": flipped(change, -1),
  "a byte too many": Uint8Array.from([...change, 0]),
  "a byte too few": change.slice(0, -1),
  "a wrong magic number": flipped(change, 0),
  "the type of a document": chunk(0, bodyOf(change)),
  "the type of a bundle": chunk(3, bodyOf(change)),
  "an unknown type": chunk(9, bodyOf(change)),
  "deflated bytes that are none": chunk(2, bodyOf(change)),
  "a hundred mebibytes of zeros, deflated": bomb(100 << 20),
  "a run that claims two thousand million operations": rleBomb(),
})

/** A change of a few bytes that claims 2·10⁹ operations, with the right checksum. */
function rleBomb() {
  // No deps, author aa…, seq 1, startOp 1; one action column: a run of 2·10⁹ puts.
  const body = Buffer.concat([hex("0010"), Buffer.alloc(16, 0xaa), hex("0101000000"), hex("014206"), hex("80a8d6b90701")])
  return chunk(1, body)
}

for (const what of Object.keys(broken(control))) {
  test(`a change with ${what} is refused`, { strict: true }, async t => {
    const s = await scene(t)
    bring(s.raw, s.a.documentId, [broken(control)[what]], [hashOf(control)])
    return (await refused(t, s, what)).slice(0, 120)
  })
}

test("two changes with one actor and number: the second is refused", { strict: true }, async t => {
  const s = await scene(t)
  const actor = "cc".repeat(16)
  const base = A.save(s.a.doc())
  const [one, two] = ["one", "two"].map(word => A.getLastLocalChange(A.change(A.load(base, { actor }), { time: 1 }, d => (d.word = word))))
  bring(s.raw, s.a.documentId, [one])
  await until(() => s.a.doc().word && s.b.doc().word, "the first")
  const twin = await t.raw()
  bring(twin, s.a.documentId, [two])
  await until(() => twin.closed || twin.received.some(m => m.type === "error"), "the second's sender to be told")
  s.b.change(d => (d.n = 1))
  await until(() => s.a.doc().n === 1, "an honest edit")
  equal(String(s.a.doc().word), "one", "word")
  const fresh = await find(await t.client("fresh"), s.a.url)
  equal(headsOf(fresh), headsOf(s.a), "heads at a fresh client")
})

test("operation counters far ahead are refused", { strict: true }, async t => {
  for (const startOp of ["fffffffe07", "80ade204"]) {
    // The control with startOp near 2^31 and at 10^7.
    const s = await scene(t)
    const body = bodyOf(control)
    const far = chunk(1, Buffer.concat([body.subarray(0, 19), hex(startOp), body.subarray(20)]))
    bring(s.raw, s.a.documentId, [far])
    s.b.change(d => (d.n = 1))
    await until(() => s.a.doc().n === 1, "an honest edit")
    await s.raw.settled()
    const fresh = await find(await t.client("fresh"), s.a.url)
    equal(fresh.doc(), { text: "unharmed", n: 1 }, "document")
  }
})

test("who was refused may come again with a sound change", { strict: true }, async t => {
  const s = await scene(t)
  bring(s.raw, s.a.documentId, [hex(poisons["a run of one"])])
  await until(() => s.raw.closed || s.raw.received.some(m => m.type === "error"), "the sender to be told")
  const again = await t.raw()
  bring(again, s.a.documentId, [control])
  await until(() => s.a.doc().x === 1 && s.b.doc().x === 1, "the sound change")
})
