// What was written in the moment before the page went. Writing to IndexedDB
// takes longer than a closing tab lives, so the last changes also go to
// localStorage, which does not wait, and come from there when the page is back.

import * as A from "@automerge/automerge/slim"
import type { DocHandle, DocumentId, Repo } from "@automerge/automerge-repo/slim"

/** Longer than a change is under way to IndexedDB, also on a slow disk. */
const windowMillis = 20_000
const maxChars = 1_000_000
const prefix = "kj.rescue."

/** The states of a document that its latest local changes began from. */
export class Rescue {
  readonly #handle: DocHandle<any>
  readonly #storage: Storage | null
  readonly #key: string
  #since: { heads: A.Heads; at: number }[] = []
  #heads: A.Heads

  /** `page` tells pages of one browser apart. */
  constructor(handle: DocHandle<any>, page: string, storage: Storage | null) {
    this.#handle = handle
    this.#storage = storage
    this.#key = `${prefix}${handle.documentId}.${page}`
    this.#heads = handle.isReady() ? A.getHeads(handle.doc()) : []
  }

  /** Takes note of a change: what was there before it is what is sure to be kept. */
  changed(local: boolean): void {
    const now = performance.now()
    while (this.#since.length > 1 && now - this.#since[1]!.at > windowMillis) this.#since.shift()
    if (local && now - (this.#since.at(-1)?.at ?? -Infinity) > windowMillis / 10) this.#since.push({ heads: this.#heads, at: now })
    this.#heads = A.getHeads(this.#handle.doc())
  }

  /** Puts the latest changes aside; `saved` says that others have them. */
  keep(saved: boolean): void {
    const last = this.#since.at(-1)
    if (saved || !last || !this.#handle.isReady()) return
    try {
      const changes = A.getChangesSince(this.#handle.doc(), this.#since[0]!.heads)
      const text = JSON.stringify(changes.map(base64))
      if (text.length <= maxChars) this.#storage?.setItem(this.#key, text)
    } catch {
      // Full: what IndexedDB has by now is what there will be.
    }
  }
}

/** Gives documents what was put aside; it is thrown away when the repo has it on disk. */
export async function bringBack(repo: Repo, storage: Storage | null): Promise<void> {
  const keys = Array.from({ length: storage?.length ?? 0 }, (_, n) => storage!.key(n) ?? "").filter(key => key.startsWith(prefix))
  await Promise.all(
    keys.map(async key => {
      const id = key.slice(prefix.length).split(".")[0] as DocumentId
      let changes: Uint8Array[]
      try {
        changes = (JSON.parse(storage!.getItem(key) ?? "[]") as string[]).map(bytes)
      } catch {
        return storage!.removeItem(key) // not ours
      }
      try {
        const handle = await repo.find(`automerge:${id}` as never)
        handle.update(doc => A.applyChanges(doc as A.Doc<any>, changes)[0] as never)
        await repo.flush([id])
        storage!.removeItem(key)
      } catch {
        // The document is not there now: they are kept for the next time.
      }
    }),
  )
}

function base64(data: Uint8Array): string {
  let text = ""
  for (let at = 0; at < data.length; at += 8192) text += String.fromCharCode(...data.subarray(at, at + 8192))
  return btoa(text)
}

const bytes = (text: string): Uint8Array => Uint8Array.from(atob(text), c => c.charCodeAt(0))
