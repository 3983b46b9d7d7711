#!/usr/bin/env node
// A stock client of Yjs in one document, for tests of the hand made one.
//
//   node client.mjs --provider y-websocket|hocuspocus --url URL --document NAME [--type TEXT]
//
// It prints the document's texts, those of the array "blocks", as a line of JSON
// whenever they have changed. With --type it first types into the first text:
// the characters one by one at its beginning, then it takes every other one out.
import { parseArgs } from "node:util"
import { HocuspocusProvider } from "@hocuspocus/provider"
import WebSocket from "ws"
import { WebsocketProvider } from "y-websocket"
import * as Y from "yjs"

const { values: flags } = parseArgs({
  options: { provider: { type: "string" }, url: { type: "string" }, document: { type: "string" }, type: { type: "string", default: "" } },
})
const doc = new Y.Doc()
const provider =
  flags.provider === "hocuspocus"
    ? new HocuspocusProvider({ url: flags.url, name: flags.document, document: doc, token: "", WebSocketPolyfill: WebSocket })
    : new WebsocketProvider(flags.url, flags.document, doc, { WebSocketPolyfill: WebSocket, disableBc: true })
const blocks = doc.getArray("blocks")
const show = () => console.log(JSON.stringify(blocks.map(String)))

provider.on(flags.provider === "hocuspocus" ? "synced" : "sync", () => {
  show()
  doc.on("update", show)
  if (!flags.type || blocks.length === 0) return
  const text = blocks.get(0)
  for (let i = 0; i < flags.type.length; i++) text.insert(i, flags.type[i])
  for (let i = 1; i <= flags.type.length / 2; i++) text.delete(i, 1)
})
process.stdin.on("end", () => process.exit(0)).resume()
