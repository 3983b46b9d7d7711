// Which documents this browser has a copy of: what can be opened offline.

import { useEffect, useState } from "react"
import { databaseName } from "./offline"

/** The ids of the documents in the store of this browser. */
export function heldDocuments(): Promise<Set<string>> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open(databaseName)
    opening.onerror = () => reject(opening.error ?? new Error("no store"))
    opening.onsuccess = () => {
      const db = opening.result
      if (!db.objectStoreNames.contains("documents")) {
        db.close()
        return resolve(new Set())
      }
      const asking = db.transaction("documents").objectStore("documents").getAllKeys()
      asking.onerror = () => reject(asking.error ?? new Error("no keys"))
      asking.onsuccess = () => {
        db.close()
        resolve(new Set(asking.result.flatMap(key => (Array.isArray(key) && typeof key[0] === "string" && key.length > 1 ? [key[0]] : []))))
      }
    }
  })
}

/** The documents that can be opened without the server; null while it can be reached, or when nobody knows. */
export function useHeld(connected: boolean): ReadonlySet<string> | null {
  const [held, setHeld] = useState<ReadonlySet<string> | null>(null)
  useEffect(() => {
    setHeld(null)
    if (connected) return
    let gone = false
    heldDocuments().then(
      ids => !gone && setHeld(ids),
      () => {}, // then none looks as if it were missing
    )
    return () => {
      gone = true
    }
  }, [connected])
  return held
}
