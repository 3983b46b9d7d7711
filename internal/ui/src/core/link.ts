// The connection to the server: a stock automerge-repo Repo over the
// WebSocket at /sync, with IndexedDB beneath so that the page works offline.

import { Repo, cbor, type PeerId, type StorageId } from "@automerge/automerge-repo/slim"
import { BrowserWebSocketClientAdapter } from "@automerge/automerge-repo-network-websocket"
import { IndexedDBStorageAdapter } from "@automerge/automerge-repo-storage-indexeddb"

const retryMillis = 1000
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
  /** The server's storage id: the one whose acknowledgements count. Kept when it goes away. */
  server: StorageId | null = null
  connected = false
  /** What the server refused last, until it accepts something. */
  refusal = ""

  constructor(url: string) {
    const adapter = new Adapter(url, retryMillis)
    this.repo = new Repo({ network: [adapter], storage: new IndexedDBStorageAdapter("kaijutsu"), saveDebounceRate: 50 })
    adapter.onError_ = message => {
      this.refusal = message
      this.#tell()
    }
    this.repo.networkSubsystem.on("peer", ({ peerId, peerMetadata }: { peerId: PeerId; peerMetadata?: { storageId?: StorageId } }) => {
      this.connected = true
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

  #tell(): void {
    for (const fn of this.#listeners) fn()
  }
}
