// The copies that this browser keeps, and how to be rid of them.

/** The IndexedDB database of the documents, as core/link names it. */
export const databaseName = "kaijutsu"

/** Deletes what the page keeps in this browser: documents, lists, settings and the page itself. */
export async function forgetEverything(): Promise<void> {
  for (const key of Object.keys(localStorage)) if (key.startsWith("kj.")) localStorage.removeItem(key)
  if ("caches" in globalThis) for (const name of await caches.keys()) await caches.delete(name)
  if ("serviceWorker" in navigator) for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister()
  await new Promise<void>(resolve => {
    const deleting = indexedDB.deleteDatabase(databaseName)
    // Open connections of this page end with it: it is deleted then.
    deleting.onsuccess = deleting.onerror = deleting.onblocked = () => resolve()
  })
}
