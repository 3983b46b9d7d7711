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

const { data, durable } = flags()
const sqlite = new SQLite({
  database: join(data, "documents.sqlite"),
  ...(durable && {
    store: ({ documentName, state }) =>
      new Promise((resolve, reject) => {
        sqlite.db.run(upsertQuery, { $name: documentName, $data: state }, err => (err ? reject(err) : resolve()))
      }),
  }),
})
const server = new Server({
  extensions: [sqlite],
  quiet: true,
  stopOnSignals: false,
  ...(durable && { debounce: 0 }),
})
if (durable) {
  await new Promise((resolve, reject) => {
    sqlite.db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", err => (err ? reject(err) : resolve()))
  })
}
serve(server.httpServer, async () => {
  await server.destroy()
  await new Promise(resolve => sqlite.db.close(resolve)) // after what it has been told to write
})
