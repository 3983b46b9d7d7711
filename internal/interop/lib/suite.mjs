// Cases: how they are declared, what they are given, how they are run.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { client, connected } from "./client.mjs"
import { Proxy } from "./proxy.mjs"
import { Raw } from "./raw.mjs"
import { Server } from "./server.mjs"
import { within } from "./wait.mjs"

const cases = []
let group = ""

/** Names the group of the cases declared next. */
export const inGroup = name => (group = name)

/**
 * Declares a case. Options: `ms`, its deadline; `own`, true to give it a server
 * of its own, which it may kill, or a list of more arguments for that server; `strict`, true for what the reference server
 * is known not to do; `kj`, true for what only Kaijutsu has (operations, page).
 * The function may return a note for the report.
 */
export function test(name, options, run) {
  cases.push({ name, group, ms: 120_000, ...options, run })
}

const endings = []

/** Runs `fn` when all cases are done. */
export const afterAll = fn => endings.push(fn)

/** What one case is given. Everything made through it is closed afterwards. */
class Case {
  #undo = []

  constructor(server, tmp) {
    this.server = server
    this.tmp = tmp
  }

  onClose(fn) {
    this.#undo.push(fn)
  }

  /** An empty directory. */
  dir() {
    return mkdtempSync(join(this.tmp, "dir-"))
  }

  /** A connected Repo; `via` is a proxy to connect through. */
  async client(name, { via, ...options } = {}) {
    const repo = this.offlineClient(name, { via, ...options })
    await connected(repo)
    return repo
  }

  /** A Repo that may not be connected yet. */
  offlineClient(name, { via, ...options } = {}) {
    const repo = client(name, (via ?? this.server).ws, options)
    this.onClose(() => repo.adapter.socket && repo.adapter.disconnect())
    return repo
  }

  clients(...names) {
    return Promise.all(names.map(name => this.client(name)))
  }

  async proxy(server = this.server) {
    const proxy = await Proxy.start(server)
    this.onClose(() => proxy.close())
    return proxy
  }

  async raw(options) {
    const raw = await Raw.join(this.server.ws, options)
    this.onClose(() => raw.close())
    return raw
  }

  /** A socket that has not joined. */
  async stranger() {
    const raw = new Raw(this.server.ws)
    this.onClose(() => raw.close())
    await within(raw.opened, "the socket to open")
    return raw
  }

  async close() {
    for (const undo of this.#undo.reverse()) {
      try {
        await undo()
      } catch {
        // Closing what is closed already.
      }
    }
  }
}

/** What unmodified clients throw into the process when a socket breaks. */
const expectedNoise = /ECONNRESET|EPIPE|ECONNREFUSED|socket hang up|Websocket not ready|closed before the connection|Invalid WebSocket frame|Target page, context or browser has been closed/

/**
 * Runs the cases that `pick` chooses against servers of `kind` and prints one
 * line for each. Resolves to the number of failures.
 */
export async function runAll(kind, { pick = () => true, strict = false, verbose = false } = {}) {
  const print = console.log
  const trouble = [] // errors that nothing caught
  for (const event of ["uncaughtException", "unhandledRejection"]) {
    process.on(event, err => expectedNoise.test(String(err?.message ?? err)) || trouble.push(err))
  }
  if (!verbose) console.log = () => {} // the repo logs what it catches

  const tmp = mkdtempSync(join(tmpdir(), "kj-interop-"))
  const shared = await new Server(kind, tmp).start()
  const count = { passed: 0, failed: 0, skipped: 0 }
  for (const c of cases.filter(pick)) {
    const name = `${c.group}: ${c.name}`
    const reason = kind.name === "kj" ? null : c.kj ? "only Kaijutsu has this" : c.strict && !strict ? "the reference server does not do this" : null
    if (reason) {
      count.skipped++
      print(`skip ${name}: ${reason}`)
      continue
    }
    const began = performance.now()
    const took = () => `${Math.round(performance.now() - began)} ms`
    let t
    trouble.length = 0
    try {
      const server = c.own ? await new Server(kind, tmp, c.own === true ? [] : c.own).start() : shared
      t = new Case(server, tmp)
      if (c.own) t.onClose(() => server.kill())
      const note = await within(c.run(t), "the case to end", c.ms)
      if (trouble.length) throw new Error(`thrown where nothing catches it: ${trouble[0]?.stack ?? trouble[0]}`)
      if (!shared.alive) throw new Error(`the server died: ${shared.log.slice(-800)}`)
      count.passed++
      print(`ok   ${name} (${took()})${note ? ` [${note}]` : ""}`)
    } catch (err) {
      count.failed++
      print(`FAIL ${name} (${took()}): ${verbose ? err.stack : err.message.replaceAll("\n", " ⏎ ")}`)
      if (!shared.alive) await shared.start().catch(() => {})
    }
    await t?.close()
  }
  for (const end of endings) await end()
  await shared.kill("SIGTERM").catch(() => shared.kill())
  rmSync(tmp, { recursive: true, force: true, maxRetries: 3 })
  print(`${count.passed} passed, ${count.failed} failed${count.skipped ? `, ${count.skipped} skipped` : ""}`)
  return count.failed
}

/** The declared cases, for listing. */
export const listed = () => cases.map(c => `${c.group}: ${c.name}`)
