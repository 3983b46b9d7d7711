#!/usr/bin/env node
// Hocuspocus with its SQLite extension.
//
//   node hocuspocus.mjs --data DIR [--durable]
//
// As shipped it saves a document two seconds after the last edit, ten at most
// after the first, into a SQLite that syncs each transaction. --durable saves
// after each edit, one save after the other, with a write-ahead log that is
// synced: fewer syncs than SQLite's own default. A save is of the whole document.
// In both an edit is shown to others, and acknowledged, before it is saved.
import { join } from "node:path"
import { SQLite, upsertQuery } from "@hocuspocus/extension-sqlite"
import { Server } from "@hocuspocus/server"
import { flags, serve } from "./serve.mjs"

/** The extension with a store that returns when what it stored is on the disk. */
class SyncedSQLite extends SQLite {
  constructor(configuration) {
    super({ ...configuration, store: ({ documentName, state }) => this.#do("run", upsertQuery, { $name: documentName, $data: state }) })
  }

  async onConfigure() {
    await super.onConfigure()
    await this.#do("exec", "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL")
  }

  #do(verb, ...args) {
    return new Promise((resolve, reject) => this.db[verb](...args, err => (err ? reject(err) : resolve())))
  }
}

const { data, durable } = flags()
const sqlite = new (durable ? SyncedSQLite : SQLite)({ database: join(data, "documents.sqlite") })
const server = new Server({
  extensions: [sqlite],
  quiet: true,
  stopOnSignals: false,
  ...(durable && { debounce: 0 }),
})
serve(server.httpServer, async () => {
  await server.destroy()
  await new Promise(resolve => sqlite.db.close(resolve)) // after what it has been told to write
})
