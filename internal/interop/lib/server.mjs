// A server as a child process: started, killed and started again on the same
// data directory.
import { spawn } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { within } from "./wait.mjs"

/** How to start each kind of server. */
export const kinds = {
  kj: binary => ({ name: "kj", command: binary, args: data => ["serve", "--data", data, "--listen", "127.0.0.1:0"] }),
  reference: () => ({
    name: "reference",
    command: process.execPath,
    args: data => [fileURLToPath(new URL("../reference-server.mjs", import.meta.url)), "--data", data, "--guard", "--gossip"],
  }),
}

const startMillis = 60_000

export class Server {
  /** `kind` is one of kinds; `tmp` a directory for its data; `more` are arguments for it. */
  constructor(kind, tmp, more = []) {
    this.kind = kind
    this.more = more
    this.data = mkdtempSync(join(tmp, "data-"))
    this.starts = 0
  }

  /** Starts the process and waits until it accepts connections. */
  async start() {
    const child = spawn(this.kind.command, [...this.kind.args(this.data), ...this.more], { stdio: ["ignore", "pipe", "pipe"] })
    this.child = child
    this.starts++
    this.log = ""
    this.exited = new Promise(done => child.once("exit", (code, signal) => done({ code, signal })))
    const address = new Promise((done, fail) => {
      let seen = ""
      const read = bytes => {
        seen += bytes
        this.log = (this.log + bytes).slice(-20_000)
        const found = /listening on (http:\/\/\S+)/.exec(seen)
        if (found) done(found[1])
      }
      child.stdout.setEncoding("utf8").on("data", read)
      child.stderr.setEncoding("utf8").on("data", read)
      child.once("error", fail)
      child.once("exit", (code, signal) => fail(new Error(`the server ended with ${signal ?? code}: ${this.log.slice(-800)}`)))
    })
    address.catch(() => {})
    this.http = await within(address, "the server to listen", startMillis)
    this.ws = this.http.replace("http", "ws") + "/sync"
    return this
  }

  get alive() {
    return this.child?.exitCode === null && this.child.signalCode === null
  }

  /** Ends the process; SIGKILL gives it no chance to write anything. It has no address until it is started again. */
  async kill(signal = "SIGKILL") {
    this.http = this.ws = undefined
    if (!this.alive) return
    this.child.kill(signal)
    await within(this.exited, `the server to end on ${signal}`)
  }

  /** SIGKILL, then a new process on the same data. */
  async restart() {
    await this.kill()
    return this.start()
  }

  /** Runs one operation over HTTP (kj only). */
  async op(name, params) {
    const reply = await fetch(`${this.http}/v1/ops/${name}`, { method: "POST", body: JSON.stringify(params) })
    const text = await reply.text()
    if (!reply.ok) throw new Error(`${name}: ${reply.status} ${text}`)
    return JSON.parse(text)
  }
}
