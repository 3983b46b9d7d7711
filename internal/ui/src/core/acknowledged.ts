// What the server has acknowledged of a document. The server acknowledges a
// change when it is on its disk, so "saved" means that and nothing less.

import * as A from "@automerge/automerge/slim"
import { decodeHeads, encodeHeads, type DocHandle, type StorageId, type UrlHeads } from "@automerge/automerge-repo/slim"

const same = (a: readonly string[], b: readonly string[]) => a.length === b.length && new Set([...a, ...b]).size === a.length

/** Reports whether the server has acknowledged everything that a document holds. */
export function isSaved(handle: DocHandle<unknown>, server: StorageId | null): boolean {
  const acknowledged = server ? handle.getSyncInfo(server)?.lastHeads : undefined
  return acknowledged !== undefined && same(handle.heads(), acknowledged)
}

/**
 * Remembers, per document and across reloads, the last heads that the server
 * acknowledged, to count what it has not seen. Only a count: whether a document
 * is saved is always asked of its handle.
 */
export class Acknowledged {
  readonly #storage: Storage | null
  readonly #heads = new Map<string, UrlHeads>()
  readonly #marked = new Map<string, boolean>()

  constructor(storage: Storage | null) {
    this.#storage = storage
  }

  /** Takes note of what the server says it has. */
  note(handle: DocHandle<unknown>, server: StorageId): void {
    const heads = handle.getSyncInfo(server)?.lastHeads
    if (!heads || !handle.isReady() || same(heads, this.of(handle.documentId))) return
    // Heads that we have not received yet say nothing about what is ours.
    const doc = handle.doc() as A.Doc<unknown>
    if (!decodeHeads(heads).every(h => A.hasHeads(doc, [h]))) return
    this.#heads.set(handle.documentId, heads)
    try {
      this.#storage?.setItem(key(handle.documentId), JSON.stringify(heads))
    } catch {
      // The store is full: after a reload the count is too high, never too low.
    }
  }

  /** The last heads acknowledged, [] if none are known. */
  of(documentId: string): UrlHeads {
    const known = this.#heads.get(documentId)
    if (known) return known
    let heads: UrlHeads = encodeHeads([])
    try {
      const stored: unknown = JSON.parse(this.#storage?.getItem(key(documentId)) ?? "[]")
      if (Array.isArray(stored) && stored.every(h => typeof h === "string")) heads = stored as UrlHeads
    } catch {
      // Not ours: as if nothing were known.
    }
    this.#heads.set(documentId, heads)
    return heads
  }

  /** How many of the document's changes the server has not acknowledged. */
  unsent(handle: DocHandle<unknown>): number {
    const doc = handle.doc() as A.Doc<unknown>
    let since: A.Heads = []
    try {
      since = decodeHeads(this.of(handle.documentId)).filter(h => A.hasHeads(doc, [h]))
    } catch {
      // Stored by something else: count everything.
    }
    return A.getChangesMetaSince(doc, since).length
  }

  /** Remembers across reloads whether a document has changes that the server has not acknowledged. */
  mark(documentId: string, unsent: boolean): void {
    if (this.#marked.get(documentId) === unsent) return
    this.#marked.set(documentId, unsent)
    try {
      if (unsent) this.#storage?.setItem(unsentPrefix + documentId, "")
      else this.#storage?.removeItem(unsentPrefix + documentId)
    } catch {
      // Full: the changes are in IndexedDB and go out when the document is opened.
    }
  }

  /** The documents that were marked so when the page was last open. */
  marked(): string[] {
    const ids: string[] = []
    for (let i = 0; i < (this.#storage?.length ?? 0); i++) {
      const name = this.#storage!.key(i)!
      if (name.startsWith(unsentPrefix)) ids.push(name.slice(unsentPrefix.length))
    }
    return ids
  }
}

const unsentPrefix = "kj.unsent."
const key = (documentId: string) => `kj.acknowledged.${documentId}`
