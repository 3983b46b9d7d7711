// Messages that are not kept: cursors, presence.
import { Presence, cbor } from "@automerge/automerge-repo"
import * as A from "@automerge/automerge"
import { equal } from "../lib/check.mjs"
import { find } from "../lib/client.mjs"
import { RawDocument } from "../lib/raw.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("presence")

/** Collects the broadcasts that a handle hears. */
function heard(handle) {
  const list = []
  handle.on("ephemeral-message", m => list.push(m))
  return list
}

/** A raw peer that has a document open. */
async function rawWith(t, url, documentId, key, value) {
  const raw = await t.raw()
  const doc = new RawDocument(raw, documentId)
  doc.push("request")
  await until(() => doc.doc[key] === value, `the raw peer to have ${url}`)
  return raw
}

test("broadcasts reach the others in order and not their sender", {}, async t => {
  const [amy, ben, cleo] = await t.clients("amy", "ben", "cleo")
  const a = amy.create({ x: 1 })
  const [b, c] = [await find(ben, a.url), await find(cleo, a.url)]
  // A broadcast before the server knows who listens is nobody's.
  const pings = heard(a)
  await until(() => {
    b.broadcast("ping")
    c.broadcast("ping")
    return [ben, cleo].every(repo => pings.some(m => m.senderId === repo.peerId))
  }, "everybody to listen")
  const [la, lb, lc] = [heard(a), heard(b), heard(c)]
  for (let n = 0; n < 40; n++) a.broadcast({ n, cursor: { at: n, name: "é😀" }, raw: new Uint8Array([n]) })
  await until(() => lb.length >= 40 && lc.length >= 40, "forty broadcasts at both")
  b.broadcast("end")
  await until(() => la.some(m => m.message === "end") && lc.some(m => m.message === "end"), "the end")
  for (const list of [lb, lc]) {
    const mine = list.filter(m => m.senderId === amy.peerId)
    equal(mine.map(m => m.message.n), [...Array(40).keys()], "order")
    equal(mine[7].message, { n: 7, cursor: { at: 7, name: "é😀" }, raw: new Uint8Array([7]) }, "content")
  }
  equal(la.filter(m => m.senderId === amy.peerId).length, 0, "broadcasts that came back")
})

test("the wire fields stay as the originator wrote them", {}, async t => {
  const amy = await t.client("amy")
  const a = amy.create({ x: 1 })
  const raw = await rawWith(t, a.url, a.documentId, "x", 1)
  a.broadcast({ z: 1 })
  a.broadcast({ z: 2 })
  const mine = () => raw.received.filter(m => m.type === "ephemeral")
  await until(() => mine().length === 2, "two broadcasts")
  const [one, two] = mine()
  equal([one.senderId, one.targetId, one.documentId], [amy.peerId, raw.id, a.documentId], "addresses")
  equal([typeof one.sessionId, one.sessionId, typeof one.count, two.count - one.count], ["string", two.sessionId, "number", 1], "session and count")
  equal(cbor.decode(two.data), { z: 2 }, "data")
})

test("only those who have the document open hear of it, and nobody twice", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ x: 1 })
  const b = await find(ben, a.url)
  const outsider = await t.raw()
  const raw = await rawWith(t, a.url, a.documentId, "x", 1)
  const list = heard(b)
  const say = (count, sessionId) => raw.about(a.documentId, "ephemeral", { count, sessionId, data: cbor.encode({ count, sessionId }) })
  say(1, "s1")
  say(1, "s1") // again
  say(3, "s1")
  say(2, "s1") // late
  say(1, "s2")
  await until(() => list.some(m => m.message.sessionId === "s2"), "the last one")
  equal(list.map(m => `${m.message.sessionId} ${m.message.count}`), ["s1 1", "s1 3", "s2 1"], "heard")
  await outsider.barrier()
  equal(outsider.received.filter(m => m.type === "ephemeral").length, 0, "broadcasts at one who has not opened it")
})

test("broadcasts flow while the document is edited hard", {}, async t => {
  const [amy, ben] = await t.clients("amy", "ben")
  const a = amy.create({ text: "" })
  const b = await find(ben, a.url)
  const list = heard(b)
  await until(() => (a.broadcast("ready?"), list.length > 0), "ben to listen")
  for (let n = 0; n < 150; n++) {
    a.change(d => A.splice(d, ["text"], n, 0, "x"))
    a.broadcast({ n })
  }
  await until(() => b.doc().text.length === 150 && list.filter(m => m.message.n !== undefined).length === 150, "all of both")
  equal(list.filter(m => m.message.n !== undefined).map(m => m.message.n), [...Array(150).keys()], "order")
})

test("presence: arrival, change, late joiner, goodbye", {}, async t => {
  const [amy, ben, cleo] = await t.clients("amy", "ben", "cleo")
  const a = amy.create({ x: 1 })
  const start = (handle, name) => {
    const presence = new Presence({ handle })
    t.onClose(() => presence.stop())
    presence.start({ initialState: { name, at: 0 }, heartbeatMs: 300 })
    return presence
  }
  const seen = (presence, repo) => presence.getPeerStates().value[repo.peerId]?.value
  const b = await find(ben, a.url)
  const [pa, pb] = [start(a, "Amy"), start(b, "Ben")]
  await until(() => seen(pa, ben)?.name === "Ben" && seen(pb, amy)?.name === "Amy", "each other")
  pa.broadcast("at", 42)
  await until(() => seen(pb, amy)?.at === 42, "amy's move")
  const pc = start(await find(cleo, a.url), "Cleo")
  await until(() => seen(pc, amy)?.at === 42 && seen(pc, ben)?.name === "Ben" && seen(pa, cleo)?.name === "Cleo", "the late joiner")
  pb.stop()
  await until(() => !seen(pa, ben) && !seen(pc, ben), "ben's goodbye")
})
