// The documents in this browser. A store that takes nothing more, being full or
// forbidden, is told of: what is written then is in this page alone.

import { IndexedDBStorageAdapter } from "@automerge/automerge-repo-storage-indexeddb"

export const databaseName = "kaijutsu"

export class Store extends IndexedDBStorageAdapter {
  /** Why the last write did not work; "" while writing works. */
  trouble = ""
  onTrouble: () => void = () => {}

  constructor() {
    super(databaseName)
  }

  override async load(key: string[]): Promise<Uint8Array | undefined> {
    return this.#try(() => super.load(key), undefined)
  }

  override async loadRange(prefix: string[]): ReturnType<IndexedDBStorageAdapter["loadRange"]> {
    return this.#try(() => super.loadRange(prefix), [])
  }

  override async save(key: string[], binary: Uint8Array): Promise<void> {
    try {
      await this.#write(key, binary)
      this.#note("")
    } catch (err) {
      this.#note(why(err))
      throw err // it is tried again with the next change
    }
  }

  /** As the stock adapter, but hands the write to the browser at once, and notices when one is given up. */
  async #write(key: string[], binary: Uint8Array): Promise<void> {
    const db = await (this as unknown as { dbPromise: Promise<IDBDatabase> }).dbPromise
    await new Promise<void>((resolve, reject) => {
      const transaction = db.transaction("documents", "readwrite")
      transaction.oncomplete = () => resolve()
      transaction.onerror = transaction.onabort = () => reject(transaction.error ?? new Error("the write was given up"))
      transaction.objectStore("documents").put({ key, binary }, key)
      transaction.commit()
    })
  }

  /** What cannot be read is as if it were not there: the server has it. */
  async #try<T>(read: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await read()
    } catch (err) {
      this.#note(why(err))
      return otherwise
    }
  }

  #note(trouble: string): void {
    if (trouble === this.trouble) return
    this.trouble = trouble
    this.onTrouble()
  }
}

const why = (err: unknown): string => (err instanceof Error && err.message !== "" ? err.message : "the browser gives no reason")
