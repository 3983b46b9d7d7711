// The connection to the server: a stock automerge-repo Repo over the
// WebSocket at /sync, with IndexedDB beneath so that the page works offline.

import { Repo, cbor, type PeerId, type StorageId } from "@automerge/automerge-repo/slim"
import { BrowserWebSocketClientAdapter } from "@automerge/automerge-repo-network-websocket"
import { Store } from "./store"

const retryMillis = 1000
const storeAgainMillis = 10_000
const maxErrorBytes = 4096 // frames above this are not looked at for errors

/** The stock adapter, which keeps the server's error messages from us, with an ear for them. */
class Adapter extends BrowserWebSocketClientAdapter {
  onError_: (message: string) => void = () => {}

  override receiveMessage(bytes: Uint8Array): void {
    if (bytes.byteLength <= maxErrorBytes) {
      try {
        const message = cbor.decode<{ type?: unknown; message?: unknown }>(new Uint8Array(bytes))
        if (message.type === "error" && typeof message.message === "string") this.onError_(message.message)
      } catch {
        // The adapter reports what it cannot decode.
      }
    }
    super.receiveMessage(bytes)
  }
}

/** The repo and what is known of the server behind it. */
export class Link {
  readonly repo: Repo
  #listeners = new Set<() => void>()
  #arrivals = 0 // how often the server came
  /** The server's storage id: the one whose acknowledgements count. Kept when it goes away. */
  server: StorageId | null = null
  connected = false
  /** What the server refused last, until it accepts something. */
  refusal = ""
  /** Why this browser does not keep what is written; "" when it does. */
  trouble = ""

  constructor(url: string) {
    const adapter = new Adapter(url, retryMillis)
    const store = new Store()
    this.repo = new Repo({ network: [adapter], storage: store, saveDebounceRate: 50 })
    store.onTrouble = () => {
      this.trouble = store.trouble
      this.#tell()
      if (this.trouble !== "") this.#storeAgain()
    }
    adapter.onError_ = message => {
      this.refusal = message
      this.#tell()
    }
    this.repo.networkSubsystem.on("peer", ({ peerId, peerMetadata }: { peerId: PeerId; peerMetadata?: { storageId?: StorageId } }) => {
      this.connected = true
      this.#arrivals++
      this.refusal = ""
      this.server = peerMetadata?.storageId ?? this.repo.getStorageIdOfPeer(peerId) ?? null
      this.#tell()
    })
    this.repo.networkSubsystem.on("peer-disconnected", () => {
      this.connected = false
      this.#tell()
    })
  }

  /** Calls `fn` whenever the connection's state changes; returns how to stop that. */
  onChange(fn: () => void): () => void {
    this.#listeners.add(fn)
    return () => this.#listeners.delete(fn)
  }

  /** Calls `fn` each time that the server comes; `first` when it was not there since the page was opened. Returns how to stop that. */
  onBack(fn: (first: boolean) => void): () => void {
    let seen = this.#arrivals
    return this.onChange(() => {
      if (seen === this.#arrivals) return
      seen = this.#arrivals
      fn(seen === 1)
    })
  }

  /** Until there is room again, and also when nothing more is written. */
  #storeAgain(): void {
    setTimeout(() => {
      if (this.trouble !== "") this.repo.flush().catch(() => undefined).finally(() => this.trouble !== "" && this.#storeAgain())
    }, storeAgainMillis)
  }

  #tell(): void {
    for (const fn of this.#listeners) fn()
  }
}
