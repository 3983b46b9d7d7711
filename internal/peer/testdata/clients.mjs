// Unmodified npm clients in processes of people with different roles. The test
// and this script take turns: a line each.
import { createInterface } from "node:readline"
import { Repo } from "@automerge/automerge-repo"
import { cbor } from "@automerge/automerge-repo/slim"
import { getLastLocalChange, decodeChange } from "@automerge/automerge"
import { WebSocketClientAdapter } from "@automerge/automerge-repo-network-websocket"

/** The stock adapter; it counts, keeps what the server complains of, and sends messages astray when it is told to. */
class Adapter extends WebSocketClientAdapter {
  told = []
  sent = 0
  stray = {}
  send(message) {
    this.sent++
    const to = message.type === "sync" && this.stray[message.documentId]
    super.send(to ? { ...message, documentId: to } : message)
  }
  receiveMessage(bytes) {
    const message = cbor.decode(new Uint8Array(bytes))
    if (message.type === "error") this.told.push(message.message)
    super.receiveMessage(bytes)
  }
}

const open = []
function client(as) {
  const adapter = new Adapter(`${process.env.SERVER}/?as=${as}`, 100)
  const repo = new Repo({ peerId: `${as}-${Math.random()}`, network: [adapter] })
  open.push(repo)
  return { repo, adapter, find: url => repo.find(url) }
}

async function until(what, cond, ms = 30_000) {
  const end = Date.now() + ms
  while (!(await cond())) {
    if (Date.now() > end) throw new Error(`never: ${what}`)
    await new Promise(next => setTimeout(next, 5))
  }
}

/** Makes a change and returns its hash. */
function change(handle, f) {
  handle.change(f)
  return decodeChange(getLastLocalChange(handle.doc())).hash
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
/** Tells the test where we are and waits until it says to go on. */
async function turn(says) {
  process.stdout.write(JSON.stringify(says) + "\n")
  await lines.next()
}

const told = (who, hash, why) =>
  until(`${why} is told of ${hash} (${who.adapter.told})`, () => who.adapter.told.some(text => text.includes(hash) && text.includes(why)))
