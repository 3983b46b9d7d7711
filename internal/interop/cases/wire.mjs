// The protocol's corners that old, new and other clients use.
import { createHash, randomBytes } from "node:crypto"
import * as A from "@automerge/automerge"
import { cbor } from "@automerge/automerge-repo"
import { equal, headsOf, ok, sameHeads } from "../lib/check.mjs"
import { deflated, hashOf } from "../lib/chunk.mjs"
import { find, saved, serverStorage } from "../lib/client.mjs"
import { RawDocument, freshDocumentId, syncMessage } from "../lib/raw.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("wire")

const question = () => A.generateSyncMessage(A.init(), A.initSyncState())[1]

/** A document on the server that holds {n: 1}. */
async function shared(t) {
  const amy = await t.client("amy")
  const handle = amy.create({ n: 1 })
  await until(() => saved(handle, serverStorage(amy)), "the server to have the document")
  return handle
}

test("the answer to a join names the server, its storage and the version", {}, async t => {
  const raw = await t.raw()
  const peer = raw.received[0]
  equal([peer.type, peer.targetId, peer.selectedProtocolVersion], ["peer", raw.id, "1"], "the first frame")
  ok(typeof peer.senderId === "string" && peer.senderId, "no senderId")
  ok(typeof peer.peerMetadata?.storageId === "string", "no storage id")
  ok(!peer.peerMetadata.isEphemeral, "the server calls itself ephemeral")
})

test("a version that the server does not speak gets an error and a close", {}, async t => {
  const raw = await t.stranger()
  raw.send({ type: "join", senderId: raw.id, peerMetadata: {}, supportedProtocolVersions: ["99"] })
  const { message } = await raw.wait(m => m.type === "error", "the error")
  ok(typeof message === "string" && message, "the error says nothing")
  await until(() => raw.closed, "the close")
  ok(!raw.received.some(m => m.type === "peer"), "joined all the same")
})

test("a join without versions or metadata is one of version 1", {}, async t => {
  const raw = await t.stranger()
  raw.send({ type: "join", senderId: raw.id })
  await raw.wait(m => m.type === "peer", "the peer message")
})

test("nothing is served before the join", {}, async t => {
  const handle = await shared(t)
  const raw = await t.stranger()
  raw.server = "anybody"
  raw.about(handle.documentId, "request", { data: question() })
  raw.send({ type: "join", senderId: raw.id, peerMetadata: {}, supportedProtocolVersions: ["1"] })
  await until(() => raw.closed || raw.received.length, "an answer to the join, or a close")
  ok(raw.closed || raw.received[0].type === "peer", `the first frame is a ${raw.received[0]?.type}`)
  ok(!raw.received.some(m => m.documentId), "a document was served before the join")
})

test("a peer that joins again with its id takes the place of its old connection", {}, async t => {
  const handle = await shared(t)
  const first = await t.raw()
  const second = await t.raw({ id: first.id })
  await until(() => first.closed, "the old connection to be closed")
  const doc = new RawDocument(second, handle.documentId)
  doc.push("request")
  await until(() => doc.doc.n === 1, "the document")
  handle.change(d => (d.n = 2))
  await until(() => doc.doc.n === 2, "the edit on the new connection")
})

test("unknown messages and fields are passed over", {}, async t => {
  const handle = await shared(t)
  const raw = await t.stranger()
  raw.send({ type: "join", senderId: raw.id, peerMetadata: { isEphemeral: true, colour: "red" }, supportedProtocolVersions: ["1", "2"], later: { a: [1, 2] } })
  raw.server = (await raw.wait(m => m.type === "peer", "the peer message")).senderId
  raw.send({ type: "from-the-future", senderId: raw.id, targetId: raw.server, payload: new Uint8Array(10) })
  raw.about(handle.documentId, "request", { data: question(), later: [null] })
  await raw.wait(m => m.type === "sync" && m.documentId === handle.documentId, "the document")
})

test("byte strings with CBOR tag 64, as old clients send them, are read", {}, async t => {
  const handle = await shared(t)
  const raw = await t.raw()
  const frame = Buffer.from(cbor.encode({ type: "request", senderId: raw.id, targetId: raw.server, documentId: handle.documentId, data: question() }))
  const at = frame.lastIndexOf("data") + 4
  raw.send(Buffer.concat([frame.subarray(0, at), Buffer.from([0xd8, 64]), frame.subarray(at)]))
  await raw.wait(m => m.type === "sync" && m.documentId === handle.documentId, "the document")
})

test("sync messages are bytes of a version that clients read", {}, async t => {
  const handle = await shared(t)
  const raw = await t.raw()
  const doc = new RawDocument(raw, handle.documentId)
  doc.push("request")
  const m = await raw.wait(m => m.type === "sync", "a sync message")
  ok(m.data instanceof Uint8Array && [0x42, 0x43].includes(m.data[0]), "not a sync message")
  equal([m.targetId, m.senderId], [raw.id, raw.server], "addresses")
  await until(() => doc.doc.n === 1, "the document")
})

test("a client that reads only version 1 is served version 1", {}, async t => {
  const handle = await shared(t)
  const raw = await t.raw()
  raw.about(handle.documentId, "request", { data: new Uint8Array([0x42, 0, 0, 1, 0, 0, 0]) }) // no trailer
  const m = await raw.wait(m => m.type === "sync" && m.documentId === handle.documentId, "the document")
  equal(m.data[0], 0x42, "version")
  const { changes } = A.decodeSyncMessage(m.data)
  ok(changes.length > 0, "no changes came")
  for (const bytes of changes) equal(bytes[8], 1, "chunk type")
})

test("a deflated change is taken and is the same change", {}, async t => {
  const handle = await shared(t)
  const raw = await t.raw()
  const doc = A.change(A.load(A.save(handle.doc())), d => (d.long = "deflated ".repeat(100)))
  const change = A.getLastLocalChange(doc)
  raw.about(handle.documentId, "sync", { data: syncMessage({ heads: A.getHeads(doc), changes: [deflated(change)] }) })
  await until(() => handle.doc().long?.length === 900, "the change")
  equal(A.getHeads(handle.doc()), [hashOf(change)], "heads")
})

test("a change that comes before what it builds on waits for it", {}, async t => {
  const handle = await shared(t)
  const raw = await t.raw()
  let doc = A.load(A.save(handle.doc()))
  const changes = []
  for (let n = 2; n <= 4; n++) changes.push(A.getLastLocalChange((doc = A.change(doc, d => (d.n = n)))))
  const send = change => raw.about(handle.documentId, "sync", { data: syncMessage({ heads: A.getHeads(doc), changes: [change] }) })
  send(changes[2])
  send(changes[1])
  await raw.settled()
  equal(handle.doc().n, 1, "value before the first change came")
  send(changes[0])
  await until(() => handle.doc().n === 4, "all three")
})

test("the same changes sent again change nothing", {}, async t => {
  const handle = await shared(t)
  const raw = await t.raw()
  const before = headsOf(handle)
  const changes = A.getAllChanges(handle.doc())
  for (let n = 0; n < 5; n++) raw.about(handle.documentId, "sync", { data: syncMessage({ heads: A.getHeads(handle.doc()), changes: [...changes, ...changes] }) })
  await raw.settled()
  const late = await find(await t.client("late"), handle.url)
  equal([headsOf(late), headsOf(handle)], [before, before], "heads")
})

test("the server pings, and an idle connection stays up", { ms: 240_000 }, async t => {
  const raw = await t.raw()
  let pings = 0
  raw.socket.on("ping", () => pings++)
  await until(() => pings >= 1, "a ping", 45_000)
  ok(!raw.closed, "closed while idle")
  await raw.barrier()
  ok(!raw.closed, "closed after a ping")
})

test("document ids of 32 bytes are taken", {}, async t => {
  const [one, two] = [await t.raw(), await t.raw()]
  const documentId = longDocumentId()
  const [a, b] = [new RawDocument(one, documentId, A.from({ long: "id" })), new RawDocument(two, documentId)]
  a.push()
  await one.wait(m => m.type === "sync" && m.documentId === documentId, "the server to take it")
  b.push("request")
  await until(() => b.doc.long === "id", "the document")
})

test("two raw peers end with equal heads over hand-driven sync", {}, async t => {
  const [one, two] = [await t.raw(), await t.raw()]
  const documentId = freshDocumentId()
  const a = new RawDocument(one, documentId, A.from({ n: 0 }))
  a.push()
  const b = new RawDocument(two, documentId)
  b.push("request")
  await until(() => b.doc.n === 0, "the document")
  for (let n = 1; n <= 10; n++) {
    a.change(d => (d[`a${n}`] = n))
    b.change(d => (d[`b${n}`] = n))
  }
  await until(() => A.getHeads(a.doc).join() === A.getHeads(b.doc).join() && a.doc.b10 && b.doc.a10, "equal heads")
  const amy = await find(await t.client("amy"), `automerge:${documentId}`)
  ok(sameHeads(amy) && amy.doc().a10 === 10 && amy.doc().b10 === 10, "a stock client sees something else")
})

/** A document id of 32 random bytes, in base58 with its checksum. */
function longDocumentId() {
  const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
  const sha = b => createHash("sha256").update(b).digest()
  const payload = randomBytes(32)
  let n = BigInt("0x" + Buffer.concat([payload, sha(sha(payload)).subarray(0, 4)]).toString("hex"))
  let text = ""
  for (; n > 0n; n /= 58n) text = alphabet[Number(n % 58n)] + text
  return payload[0] === 0 ? longDocumentId() : text
}
