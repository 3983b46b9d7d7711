// Documents that nobody has.
import * as A from "@automerge/automerge"
import { generateAutomergeUrl } from "@automerge/automerge-repo"
import { equal, ok } from "../lib/check.mjs"
import { connected, find, saved, serverStorage } from "../lib/client.mjs"
import { RawDocument, freshDocumentId } from "../lib/raw.mjs"
import { inGroup, test } from "../lib/suite.mjs"
import { until, within } from "../lib/wait.mjs"

inGroup("unavailable")

test("a document that nobody has is unavailable soon", {}, async t => {
  const amy = await t.client("amy")
  const handle = await within(amy.find(generateAutomergeUrl(), { allowableStates: ["unavailable"] }), "an answer", 15_000)
  equal(handle.state, "unavailable", "state")
})

test("an unavailable document appears when somebody brings it", {}, async t => {
  const proxy = await t.proxy()
  proxy.offline()
  const amy = t.offlineClient("amy", { via: proxy })
  const made = amy.create({ late: "but here" })
  const ben = await t.client("ben")
  const handle = await ben.find(made.url, { allowableStates: ["unavailable"] })
  proxy.online()
  await connected(amy)
  await until(() => handle.isReady(), "the document")
  equal(handle.doc(), { late: "but here" }, "document")
  handle.change(d => (d.reply = 1))
  await until(() => made.doc().reply === 1, "the reply")
})

test("two who ask for the same missing document are both answered, and both get it later", {}, async t => {
  const [ben, cleo] = await t.clients("ben", "cleo")
  const proxy = await t.proxy()
  proxy.offline()
  const amy = t.offlineClient("amy", { via: proxy })
  const { url } = amy.create({ n: 1 })
  const handles = await Promise.all([ben, cleo].map(repo => within(repo.find(url, { allowableStates: ["unavailable"] }), "an answer", 15_000)))
  proxy.online()
  await until(() => handles.every(h => h.isReady()), "the document at both")
})

test("the server says so on the wire, once for each time of asking", {}, async t => {
  const raw = await t.raw()
  const documentId = freshDocumentId()
  const data = A.generateSyncMessage(A.init(), A.initSyncState())[1]
  raw.about(documentId, "request", { data })
  const answer = await raw.wait(m => m.type === "doc-unavailable", "the answer", 15_000)
  equal([answer.documentId, answer.targetId, answer.senderId], [documentId, raw.id, raw.server], "the answer's addresses")
  await raw.settled()
  equal(raw.received.filter(m => m.type === "doc-unavailable" && m.documentId === documentId).length, 1, "answers")
})

test("a document that somebody has announced but not sent yet is not called unavailable", {}, async t => {
  const [holder, asker] = [await t.raw(), await t.raw()]
  const documentId = freshDocumentId()
  const doc = new RawDocument(holder, documentId, A.from({ n: 1 }))
  const sync = doc.raw.onMessage
  holder.onMessage = null // announces its heads and then keeps silent
  doc.push()
  await holder.wait(m => m.type === "sync" && m.documentId === documentId, "the server to ask for the changes")
  const reader = new RawDocument(asker, documentId)
  reader.push("request")
  await asker.settled()
  ok(!asker.received.some(m => m.type === "doc-unavailable" && m.documentId === documentId), "called unavailable although a peer has it")
  holder.onMessage = sync
  for (const message of holder.received.filter(m => m.type === "sync")) sync(message)
  await until(() => reader.doc.n === 1, "the document")
})

test("a document stays available when the one who made it is gone", {}, async t => {
  const amy = await t.client("amy")
  const made = amy.create({ left: "behind" })
  await until(() => saved(made, serverStorage(amy)), "the server to have it")
  amy.adapter.disconnect()
  equal((await find(await t.client("ben"), made.url)).doc(), { left: "behind" }, "document")
})
