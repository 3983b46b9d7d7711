#!/usr/bin/env node
// A server with something going on in it, to look at the page with:
//
//   node showcase.mjs --kj PATH [--port N]
//
// It prints the address and stays until it is interrupted; nothing remains.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Server, kinds } from "./lib/server.mjs"
import { showcase } from "./lib/showcase.mjs"

const { values: flags } = parseArgs({ options: { kj: { type: "string" }, port: { type: "string" } } })
if (!flags.kj) {
  console.error("usage: showcase.mjs --kj PATH [--port N]")
  process.exit(2)
}
const tmp = mkdtempSync(join(tmpdir(), "kj-showcase-"))
const server = await new Server(kinds.kj(flags.kj), tmp, flags.port ? ["--listen", `127.0.0.1:${flags.port}`] : []).start()
const stop = async () => {
  await server.kill("SIGTERM")
  rmSync(tmp, { recursive: true, force: true, maxRetries: 3 })
  process.exit(0)
}
process.on("SIGINT", stop).on("SIGTERM", stop)
const made = await showcase(server, mkdtempSync(join(tmp, "repo-")))
console.log(`${server.http}/#${made.contexts.gallery.url}`)
