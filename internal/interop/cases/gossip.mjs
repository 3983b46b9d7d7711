// remote-heads-changed: who has what, told to those who asked.
import { decodeHeads, encodeHeads } from "@automerge/automerge-repo"
import { equal, headsOf, ok } from "../lib/check.mjs"
import { client, connected, find, serverStorage } from "../lib/client.mjs"
import { RawDocument } from "../lib/raw.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until } from "../lib/wait.mjs"

inGroup("gossip")

test("a subscriber is told when another storage id moves", {}, async t => {
  const make = name => t.client(name, { storage: t.dir(), enableRemoteHeadsGossiping: true })
  const [amy, ben] = [await make("amy"), await make("ben")]
  const a = amy.create({ n: 0 })
  const b = await find(ben, a.url)
  const bens = await ben.storageId()
  amy.subscribeToRemotes([bens])
  b.change(d => (d.n = 1))
  await until(() => a.doc().n === 1, "the edit")
  await until(() => [...(a.getSyncInfo(bens)?.lastHeads ?? [])].sort().join(" ") === headsOf(b), "what ben's storage has")
  equal(typeof a.getSyncInfo(bens).lastSyncTimestamp, "number", "type of the timestamp")
})

test("the server's own heads are told to one who asked for its storage id", { strict: true }, async t => {
  const amy = await t.client("amy")
  const a = amy.create({ n: 0 })
  const storage = serverStorage(amy)
  const raw = await t.raw()
  const doc = new RawDocument(raw, a.documentId)
  doc.push("request")
  await until(() => doc.doc.n === 0, "the document")
  raw.send({ type: "remote-subscription-change", senderId: raw.id, targetId: raw.server, add: [storage] })
  for (let n = 1; n <= 3; n++) {
    a.change(d => (d.n = n))
    const told = await raw.wait(
      m => m.type === "remote-heads-changed" && m.documentId === a.documentId && [...(m.newHeads[storage]?.heads ?? [])].sort().join(" ") === headsOf(a),
      `the heads of edit ${n}`,
    )
    equal(typeof told.newHeads[storage].timestamp, "number", "type of the timestamp")
    equal([told.senderId, told.targetId], [raw.server, raw.id], "addresses")
  }
  raw.send({ type: "remote-subscription-change", senderId: raw.id, targetId: raw.server, remove: [storage] })
  await raw.barrier()
  const before = raw.received.filter(m => m.type === "remote-heads-changed").length
  a.change(d => (d.n = 9))
  await until(() => doc.doc.n === 9, "the edit after unsubscribing")
  await raw.barrier()
  equal(raw.received.filter(m => m.type === "remote-heads-changed").length, before, "messages after unsubscribing")
})

test("the server's heads are told only when they are on its disk", { own: true, strict: true, ms: 240_000 }, async t => {
  for (let round = 0; round < 5; round++) {
    const amy = client("amy", t.server.ws)
    await connected(amy)
    const a = amy.create({ n: 0 })
    const storage = serverStorage(amy)
    const raw = await t.raw()
    const doc = new RawDocument(raw, a.documentId)
    doc.push("request")
    await until(() => doc.doc.n === 0, "the document")
    raw.send({ type: "remote-subscription-change", senderId: raw.id, targetId: raw.server, add: [storage] })
    let told = null
    const sync = raw.onMessage
    raw.onMessage = m => {
      if (m.type === "remote-heads-changed" && m.newHeads?.[storage]) told = m.newHeads[storage].heads
      sync(m)
    }
    for (let n = 1; n <= 30; n++) a.change(d => (d.n = n))
    await until(() => told, "a message about the server's heads")
    await t.server.kill()
    const want = decodeHeads(told)
    amy.adapter.disconnect()
    await t.server.start()
    const reader = await t.client("reader")
    const found = await find(reader, a.url)
    const has = new Set(decodeHeads(found.history().flat()))
    for (const head of want) ok(has.has(head), `round ${round}: the told head ${head} is not on disk`)
    ok(encodeHeads(want).length > 0, "empty heads were told")
    reader.adapter.disconnect()
  }
})
