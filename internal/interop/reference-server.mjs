#!/usr/bin/env node
// The npm sync server that Kaijutsu is compared with: an automerge-repo Repo
// with the WebSocket server adapter and NodeFS storage, wired as the official
// @automerge/automerge-repo-sync-server wires it.
//
//   node reference-server.mjs --data DIR [--listen 127.0.0.1:0] [--gossip] [--guard]
//
// It prints `listening on http://HOST:PORT` when it accepts connections.
// --gossip turns remote-heads gossip on (the official server leaves it off);
// --guard keeps the process alive when a hostile frame makes it throw.
import { createServer } from "node:http"
import { hostname } from "node:os"
import { parseArgs } from "node:util"
import { Repo } from "@automerge/automerge-repo"
import { WebSocketServerAdapter } from "@automerge/automerge-repo-network-websocket"
import { NodeFSStorageAdapter } from "@automerge/automerge-repo-storage-nodefs"
import { WebSocketServer } from "ws"

const { values: flags } = parseArgs({
  options: {
    data: { type: "string" },
    listen: { type: "string", default: "127.0.0.1:0" },
    gossip: { type: "boolean", default: false },
    guard: { type: "boolean", default: false },
  },
})
if (!flags.data) {
  console.error("usage: reference-server.mjs --data DIR [--listen HOST:PORT] [--gossip] [--guard]")
  process.exit(2)
}
if (flags.guard) {
  process.on("uncaughtException", err => console.error("survived:", err.message))
  process.on("unhandledRejection", err => console.error("survived:", err))
}

const sockets = new WebSocketServer({ noServer: true })
const repo = new Repo({
  network: [new WebSocketServerAdapter(sockets)],
  storage: new NodeFSStorageAdapter(flags.data),
  peerId: `storage-server-${hostname()}`,
  sharePolicy: async () => false,
  enableRemoteHeadsGossiping: flags.gossip,
})

const server = createServer((_, reply) => reply.end("automerge-repo reference server\n"))
server.on("upgrade", (request, socket, head) => sockets.handleUpgrade(request, socket, head, ws => sockets.emit("connection", ws, request)))
const [host, port] = [flags.listen.slice(0, flags.listen.lastIndexOf(":")), flags.listen.slice(flags.listen.lastIndexOf(":") + 1)]
server.listen(Number(port), host, () => console.log(`listening on http://${host}:${server.address().port}`))

for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, async () => {
    await repo.flush().catch(() => {})
    process.exit(0)
  })
}
