// Captures the frames that unmodified automerge-repo peers put on the wire, as
// golden files for internal/wire.
//
//   node frames.mjs ../wire/testdata
//
// writes NAME.cbor (one frame) and NAME.json (what cbor-x reads from it; byte
// strings as {"hex": …}). Frames of peers that no longer exist or that the
// library sends only in rare moments are made with the same encoder and are
// named "made-…".
import fs from "node:fs"
import os from "node:os"
import path from "node:path"
import http from "node:http"
import { WebSocketServer } from "ws"
import { Encoder, decode } from "cbor-x"
import * as A from "@automerge/automerge"
import { Repo, cbor, generateAutomergeUrl } from "@automerge/automerge-repo"
import { WebSocketClientAdapter, WebSocketServerAdapter } from "@automerge/automerge-repo-network-websocket"
import { NodeFSStorageAdapter } from "@automerge/automerge-repo-storage-nodefs"

const out = process.argv[2]
if (!out) {
  console.error("usage: node frames.mjs DIRECTORY")
  process.exit(2)
}
fs.mkdirSync(out, { recursive: true })

const plain = v =>
  v instanceof Uint8Array ? { hex: Buffer.from(v).toString("hex") }
  : Array.isArray(v) ? v.map(plain)
  : typeof v === "bigint" ? String(v)
  : v && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)]))
  : v
const save = (name, bytes) => {
  fs.writeFileSync(path.join(out, name + ".cbor"), bytes)
  fs.writeFileSync(path.join(out, name + ".json"), JSON.stringify(plain(decode(bytes)), null, 1) + "\n")
}

const seen = new Map()
const record = (direction, bytes) => {
  bytes = new Uint8Array(bytes)
  const name = `${direction}-${decode(bytes).type}`
  if (!seen.has(name)) seen.set(name, bytes)
}
class Recorded extends WebSocketClientAdapter {
  send(message) {
    record("client", cbor.encode(message))
    super.send(message)
  }
  receiveMessage(bytes) {
    record("server", bytes)
    super.receiveMessage(bytes)
  }
}

const until = async (done, what) => {
  for (const end = Date.now() + 10000; !done(); ) {
    if (Date.now() > end) throw new Error("never saw " + what)
    await new Promise(r => setTimeout(r, 10))
  }
}
const dirs = []
const storage = () => {
  dirs.push(fs.mkdtempSync(path.join(os.tmpdir(), "frames-")))
  return new NodeFSStorageAdapter(dirs.at(-1))
}

const web = http.createServer()
const server = new Repo({
  peerId: "server",
  storage: storage(),
  network: [new WebSocketServerAdapter(new WebSocketServer({ server: web }))],
  sharePolicy: async () => false,
  enableRemoteHeadsGossiping: true,
})
await new Promise(r => web.listen(0, "127.0.0.1", r))
const url = `ws://127.0.0.1:${web.address().port}`
const client = async (peerId, options = {}) => {
  const adapter = new Recorded(url, 500)
  const repo = new Repo({ peerId, network: [adapter], enableRemoteHeadsGossiping: true, ...options })
  await until(() => repo.peers.length > 0, "handshake of " + peerId)
  return repo
}

const a = await client("amy", { storage: storage() })
const b = await client("bob", { storage: storage() })
const h = a.create({ title: "golden" })
const found = await (async () => {
  for (;;) try { return await b.find(h.url) } catch { await new Promise(r => setTimeout(r, 50)) }
})()
a.subscribeToRemotes([await b.storageId()])
await until(() => seen.has("client-remote-subscription-change"), "subscription")
for (let n = 0; !seen.has("server-remote-heads-changed") && n < 40; n++) {
  found.change(d => { d.title = "golden " + n })
  await new Promise(r => setTimeout(r, 150))
}
h.broadcast({ cursor: 7, bin: new Uint8Array([0, 255]) })
await b.find(generateAutomergeUrl()).catch(() => {})
const want = [
  "client-join", "server-peer", "client-request", "client-sync", "server-sync", "server-doc-unavailable",
  "client-ephemeral", "server-ephemeral", "client-remote-subscription-change", "server-remote-heads-changed",
]
for (const name of want) await until(() => seen.has(name), name)
for (const name of want) save(name, seen.get(name))

const [, first] = A.generateSyncMessage(A.init(), A.initSyncState())
const { documentId } = h
const heads = h.heads()
const sync = { type: "sync", senderId: "amy", targetId: "server", documentId, data: first }
const encode = cbor.encode
save("made-join-without-storage", encode({ type: "join", senderId: "amy", peerMetadata: { storageId: undefined, isEphemeral: true }, supportedProtocolVersions: ["1"] }))
save("made-join-after-reconnect", encode({ type: "join", senderId: "amy", peerMetadata: {}, supportedProtocolVersions: ["1"] }))
save("made-join-without-versions", encode({ type: "join", senderId: "amy" }))
save("made-join-as-documented", encode({ type: "join", senderId: "amy", metadata: { storageId: "3760df37-a4c6-4f66-9ecd-732039a9385d", isEphemeral: false }, supportedProtocolVersions: ["1"] }))
save("made-join-unknown-fields", encode({ type: "join", senderId: "amy", peerMetadata: {}, supportedProtocolVersions: ["1"], future: { a: [1, { b: 2n ** 60n }] }, then: new Date(0) }))
save("made-error", encode({ type: "error", senderId: "server", message: "unsupported protocol version", targetId: "amy" }))
save("made-leave", encode({ type: "leave", senderId: "amy" }))
save("made-unknown", encode({ type: "some-future-message", senderId: "amy", data: { not: "bytes" } }))
save("made-sync-tag64", new Encoder({ tagUint8Array: true, useRecords: false }).encode(sync))
save("made-sync-short-map", new Encoder({ tagUint8Array: false, useRecords: false, variableMapSize: true }).encode(sync))
save("made-ephemeral-big-count", encode({ type: "ephemeral", senderId: "amy", targetId: "server", documentId, count: 2 ** 33, sessionId: "s", data: encode({ n: 1 }) }))
save("made-subscription-undefined", encode({ type: "remote-subscription-change", senderId: "amy", targetId: "server", add: ["3760df37-a4c6-4f66-9ecd-732039a9385d"], remove: undefined }))
save("made-heads-changed-two", encode({ type: "remote-heads-changed", senderId: "amy", targetId: "server", documentId, newHeads: { one: { heads, timestamp: 1700000000000.5 }, two: { heads: [], timestamp: 7 } } }))
for (const dir of dirs) fs.rmSync(dir, { recursive: true, force: true })
process.exit(0)
