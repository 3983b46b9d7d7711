// A TCP proxy that can cut, refuse and swallow, so that unmodified clients
// meet real network faults. Its address stays the same while the server behind
// it is restarted on another port.
import { connect, createServer } from "node:net"

export class Proxy {
  #server
  #pairs = new Set()
  #target
  /** Refuses new connections while true. */
  refusing = false
  /** Swallows what the server sends while true; the client's bytes still arrive. */
  swallowing = false

  /** Starts a proxy before the server at `target`, a URL. */
  static async start(target) {
    const proxy = new Proxy()
    proxy.retarget(target)
    proxy.#server = createServer(client => proxy.#join(client))
    await new Promise((done, fail) => proxy.#server.once("error", fail).listen(0, "127.0.0.1", done))
    return proxy
  }

  retarget(target) {
    const { hostname, port } = new URL(target)
    this.#target = { host: hostname, port: Number(port) }
  }

  get port() {
    return this.#server.address().port
  }
  get http() {
    return `http://127.0.0.1:${this.port}`
  }
  get ws() {
    return `ws://127.0.0.1:${this.port}/sync`
  }

  #join(client) {
    if (this.refusing) return client.destroy()
    const server = connect(this.#target)
    const pair = { client, server }
    this.#pairs.add(pair)
    const end = () => {
      this.#pairs.delete(pair)
      client.destroy()
      server.destroy()
    }
    for (const socket of [client, server]) socket.setNoDelay(true).on("error", end).on("close", end)
    client.pipe(server)
    server.on("data", bytes => this.swallowing || client.write(bytes))
  }

  /** Ends every connection at once. */
  cut() {
    for (const { client, server } of this.#pairs) {
      client.destroy()
      server.destroy()
    }
    this.#pairs.clear()
  }

  /** Ends every connection and lets no new one in, until online(). */
  offline() {
    this.refusing = true
    this.cut()
  }

  online() {
    this.refusing = false
  }

  close() {
    this.offline()
    return new Promise(done => this.#server.close(done))
  }
}
