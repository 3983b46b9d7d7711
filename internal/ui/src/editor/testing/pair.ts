// Two people with one document, for tests: real repos joined by a message channel.

import * as A from "@automerge/automerge/slim"
import { NetworkAdapter, Repo, type DocHandle, type Message, type PeerId } from "@automerge/automerge-repo/slim"

class PortAdapter extends NetworkAdapter {
  #port: MessagePort
  #ready = false
  #settle = () => {}
  #up = new Promise<void>(resolve => (this.#settle = resolve))

  constructor(port: MessagePort) {
    super()
    this.#port = port
  }
  isReady() {
    return this.#ready
  }
  whenReady() {
    return this.#up
  }
  connect(peerId: PeerId) {
    this.peerId = peerId
    this.#port.onmessage = ({ data }) => {
      if ("hello" in data) {
        this.#port.postMessage({ welcome: peerId })
        this.#joined(data.hello)
      } else if ("welcome" in data) this.#joined(data.welcome)
      else this.emit("message", data)
    }
    this.#port.postMessage({ hello: peerId })
  }
  #joined(peerId: PeerId) {
    if (this.#ready) return
    this.#ready = true
    this.#settle()
    this.emit("peer-candidate", { peerId, peerMetadata: {} })
  }
  send(message: Message) {
    this.#port.postMessage(message)
  }
  disconnect() {
    this.#port.close()
  }
}

export interface Pair {
  amy: DocHandle<any>
  ben: DocHandle<any>
  amyRepo: Repo
  benRepo: Repo
  close(): void
}

/** Amy and Ben with the same document open. */
export async function pair(doc: object): Promise<Pair> {
  const { port1, port2 } = new MessageChannel()
  const amyRepo = new Repo({ network: [new PortAdapter(port1)], peerId: "amy" as PeerId })
  const benRepo = new Repo({ network: [new PortAdapter(port2)], peerId: "ben" as PeerId })
  const amy = amyRepo.create<any>(doc)
  const ben = await benRepo.find<any>(amy.url)
  const close = () => {
    port1.close()
    port2.close()
  }
  return { amy, ben, amyRepo, benRepo, close }
}

/** Waits until something holds. */
export async function until(holds: () => boolean, what: string, millis = 8000): Promise<void> {
  const end = Date.now() + millis
  while (!holds()) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}

/** Waits until both have the same. */
export const together = ({ amy, ben }: Pair) => until(() => A.equals(amy.heads(), ben.heads()), "both to have the same")

/** Makes jsdom do for CodeMirror, which measures what it shows. */
export function measurable(): void {
  const box = { top: 0, left: 0, right: 0, bottom: 0, width: 0, height: 0, x: 0, y: 0, toJSON: () => ({}) }
  Range.prototype.getClientRects = () => [] as unknown as DOMRectList
  Range.prototype.getBoundingClientRect = () => box
}
