// A peer that speaks the wire protocol by hand, to say what no client says.
import { randomBytes } from "node:crypto"
import * as A from "@automerge/automerge"
import { cbor, generateAutomergeUrl, parseAutomergeUrl } from "@automerge/automerge-repo"
import WebSocket from "ws"
import { until, within } from "./wait.mjs"

export class Raw {
  /** Everything received, decoded, in order. */
  received = []
  /** {code, reason} once the socket is closed. */
  closed = null
  pings = 0

  constructor(ws, { id = `raw-${randomBytes(6).toString("hex")}` } = {}) {
    this.id = id
    this.socket = new WebSocket(ws)
    this.socket.binaryType = "nodebuffer"
    this.opened = new Promise((done, fail) => this.socket.once("open", done).once("error", fail))
    this.opened.catch(() => {})
    this.socket.on("error", err => (this.error = err))
    this.socket.on("message", bytes => {
      const message = cbor.decode(new Uint8Array(bytes))
      this.received.push(message)
      this.onMessage?.(message)
    })
    this.gone = new Promise(done =>
      this.socket.on("close", (code, reason) => {
        this.closed = { code, reason: String(reason) }
        done()
      }),
    )
  }

  /** Opens the socket and joins; resolves to the server's peer message. */
  static async join(ws, options) {
    const raw = new Raw(ws, options)
    await within(raw.opened, "the socket to open")
    raw.send({ type: "join", senderId: raw.id, peerMetadata: { isEphemeral: true }, supportedProtocolVersions: ["1"] })
    raw.server = (await raw.wait(m => m.type === "peer", "the peer message")).senderId
    return raw
  }

  /** Sends a message, or bytes as they are. */
  send(message) {
    this.socket.send(message instanceof Uint8Array ? message : cbor.encode(message))
  }

  /** Sends a message about a document with the addresses filled in. */
  about(documentId, type, fields) {
    this.send({ type, senderId: this.id, targetId: this.server, documentId, ...fields })
  }

  wait(match, what, ms) {
    return until(() => this.received.find(match), what, ms)
  }

  /** Waits until the server has read everything sent so far: it answers a ping behind it. */
  async barrier() {
    const mark = String(++this.pings)
    let answer
    const pong = new Promise(done => {
      answer = data => String(data) === mark && done()
      this.socket.on("pong", answer)
    })
    if (!this.closed) this.socket.ping(mark, undefined, () => {})
    await within(Promise.race([pong, this.gone]), "the server to come to our last frame").finally(() => this.socket.off("pong", answer))
  }

  /** Waits until the server has also thought about it: it says that it lacks a document that nobody has. */
  async settled() {
    const documentId = freshDocumentId()
    this.about(documentId, "request", { data: A.generateSyncMessage(A.init(), A.initSyncState())[1] })
    await until(() => this.closed || this.received.some(m => m.documentId === documentId), "the server to answer for a document that nobody has")
  }

  close() {
    this.socket.terminate()
  }
}

/** A document held by a raw peer, synced by hand. */
export class RawDocument {
  #state = A.initSyncState()

  constructor(raw, documentId, doc = A.init()) {
    this.raw = raw
    this.documentId = documentId
    this.doc = doc
    const before = raw.onMessage
    raw.onMessage = message => {
      before?.(message)
      if (message.type !== "sync" || message.documentId !== documentId) return
      ;[this.doc, this.#state] = A.receiveSyncMessage(this.doc, this.#state, message.data)
      this.push()
    }
  }

  /** Sends what the protocol has to say now, if anything. */
  push(type = "sync") {
    const [state, data] = A.generateSyncMessage(this.doc, this.#state)
    this.#state = state
    if (data) this.raw.about(this.documentId, type, { data })
  }

  /** Changes the document and sends the change. */
  change(fn) {
    this.doc = A.change(this.doc, fn)
    this.push()
  }
}

/** An id that nobody else has. */
export const freshDocumentId = () => parseAutomergeUrl(generateAutomergeUrl()).documentId

/** A sync message, version 1, of given parts: hashes as hex, changes as bytes. */
export function syncMessage({ heads = [], need = [], have = [{ lastSync: [], bloom: new Uint8Array() }], changes = [] }) {
  return A.encodeSyncMessage({ heads, need, have, changes })
}
