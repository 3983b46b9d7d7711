// A TCP proxy that can cut, refuse and swallow, so that unmodified clients
// meet real network faults. Its address stays the same while the server behind
// it is restarted on another port. While that server is down the proxy refuses,
// for its old port may be somebody else's by then.
import { connect, createServer } from "node:net"

export class Proxy {
  #server
  #pairs = new Set()
  #behind
  /** Refuses new connections while true. */
  refusing = false
  /** Swallows what the server sends while true; the client's bytes still arrive. */
  swallowing = false

  /** Starts a proxy before a Server, which may be killed and started again. */
  static async start(behind) {
    const proxy = new Proxy()
    proxy.#behind = behind
    proxy.#server = createServer(client => proxy.#join(client))
    await new Promise((done, fail) => proxy.#server.once("error", fail).listen(0, "127.0.0.1", done))
    return proxy
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
    if (this.refusing || !this.#behind.http) return client.destroy()
    const { hostname, port } = new URL(this.#behind.http)
    const server = connect({ host: hostname, port: Number(port) })
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
