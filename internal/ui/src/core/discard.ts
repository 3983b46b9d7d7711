// Taking a document out of this browser, and out of nothing else: the server
// keeps its own. A page that has it open would write it down again, so it is
// marked, and goes when the page starts the next time.

import { Store } from "./store"

const storageKey = "kj.discard"

/** What of the browser's own notes is about a document, by the beginning of the key. */
const notesOf = (id: string) => [`kj.rescue.${id}.`, `kj.unsent.${id}`, `kj.acknowledged.${id}`]

/** Marks a document to go with the next start of the page. */
export function markDiscarded(id: string, storage: Storage): void {
  storage.setItem(storageKey, JSON.stringify([...new Set([...marked(storage), id])]))
}

/** Removes what was marked, before anything of it is opened. Never rejects. */
export async function discardMarked(storage: Storage, store: () => Pick<Store, "removeRange"> = () => new Store()): Promise<void> {
  const ids = marked(storage)
  if (ids.length === 0) return
  try {
    const open = store()
    for (const id of ids) await open.removeRange([id])
  } catch {
    return // it is tried again with the next start
  }
  const keys = Array.from({ length: storage.length }, (_, n) => storage.key(n) ?? "")
  for (const key of keys) if (ids.some(id => notesOf(id).some(note => key.startsWith(note)))) storage.removeItem(key)
  storage.removeItem(storageKey)
}

function marked(storage: Storage): string[] {
  try {
    const ids: unknown = JSON.parse(storage.getItem(storageKey) ?? "[]")
    return Array.isArray(ids) ? ids.filter(id => typeof id === "string" && id !== "") : []
  } catch {
    return [] // not ours
  }
}
