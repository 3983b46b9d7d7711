#!/usr/bin/env node
// The server of y-websocket, wired as its own program wires it.
//
//   node y-websocket.mjs --data DIR [--durable]
//
// As shipped it keeps documents in memory. --durable is its persistence, which
// it has with YPERSISTENCE set: y-leveldb stores each update; here each write
// is also synced. An edit is shown to others before it is stored.
import { createServer } from "node:http"
import { createRequire } from "node:module"
import { flags, serve } from "./serve.mjs"

const { data, durable } = flags()
if (durable) process.env.YPERSISTENCE = data // read when the package is loaded
const shipped = createRequire(createRequire(import.meta.url).resolve("@y/websocket-server/package.json"))
const { Server: WebSocketServer } = shipped("ws") // the version that it is shipped with
const { setupWSConnection, getPersistence, setPersistence } = await import("@y/websocket-server/utils")
const levels = durable && getPersistence().provider
if (durable) {
  await levels._transact(async db => {
    for (const write of ["put", "del", "batch"]) {
      const plain = db[write].bind(db)
      db[write] = (...args) => plain(...args, { sync: true })
    }
  })
  inTurn(getPersistence())
}

/**
 * Loads a document after an earlier load of it. A client that leaves before its
 * document is loaded has what it wrote stored afterwards; who opens the document
 * meanwhile would never see that.
 */
function inTurn(persistence) {
  const loads = new Map()
  setPersistence({
    ...persistence,
    bindState: async (name, doc) => {
      const load = Promise.resolve(loads.get(name)).then(() => persistence.bindState(name, doc))
      loads.set(name, load)
      await load
      if (loads.get(name) === load) loads.delete(name)
    },
  })
}
const sockets = new WebSocketServer({ noServer: true })
sockets.on("connection", setupWSConnection)
const http = createServer((_, reply) => reply.end("okay"))
http.on("upgrade", (request, socket, head) => sockets.handleUpgrade(request, socket, head, ws => sockets.emit("connection", ws, request)))
serve(http, () => levels && levels._transact(db => db.close())) // after what it has been told to write
