#!/usr/bin/env node
// The sync server of automerge-repo: a Repo with the WebSocket server adapter
// and NodeFS storage, wired as the official @automerge/automerge-repo-sync-server
// wires it.
//
//   node automerge-repo.mjs --data DIR [--durable]
//
// As shipped it saves a document at most every 100 ms, without fsync. --durable
// saves without waiting, and has each file and its directory on the disk
// before the next save. In both an edit is shown to others before it is saved.
import { open, mkdir } from "node:fs/promises"
import { createServer } from "node:http"
import { hostname } from "node:os"
import { dirname, join } from "node:path"
import { Repo } from "@automerge/automerge-repo"
import { WebSocketServerAdapter } from "@automerge/automerge-repo-network-websocket"
import { NodeFSStorageAdapter } from "@automerge/automerge-repo-storage-nodefs"
import { WebSocketServer } from "ws"
import { flags, serve } from "./serve.mjs"

/** NodeFS storage that syncs what it writes. */
class SyncedStorage extends NodeFSStorageAdapter {
  #base

  constructor(base) {
    super(base)
    this.#base = base
  }

  async save(key, data) {
    await super.save(key, data)
    const path = join(this.#base, key[0].slice(0, 2), key[0].slice(2), ...key.slice(1)) // where NodeFS puts it
    await synced(path)
    await synced(dirname(path))
  }
}

async function synced(path) {
  const file = await open(path)
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}

const { data, durable } = flags()
await mkdir(data, { recursive: true })
const sockets = new WebSocketServer({ noServer: true })
const repo = new Repo({
  network: [new WebSocketServerAdapter(sockets)],
  storage: durable ? new SyncedStorage(data) : new NodeFSStorageAdapter(data),
  peerId: `storage-server-${hostname()}`,
  sharePolicy: async () => false,
  ...(durable && { saveDebounceRate: 0 }),
})
const http = createServer((_, reply) => reply.end("automerge-repo\n"))
http.on("upgrade", (request, socket, head) => sockets.handleUpgrade(request, socket, head, ws => sockets.emit("connection", ws, request)))
serve(http, () => repo.flush())
