// An agent at the MCP door: streamable HTTP, spoken by hand.

const version = "2025-06-18"

/** A session of an agent. Its seat lasts as long as the session. */
export class McpAgent {
  #address
  #headers
  #count = 0

  /** Begins a session with a context as the one that is meant. */
  static async join(server, { name, token, context }) {
    const agent = new McpAgent()
    agent.#address = `${server.http}/mcp?context=${encodeURIComponent(context)}`
    agent.#headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json", Accept: "application/json, text/event-stream" }
    await agent.#ask("initialize", { protocolVersion: version, capabilities: {}, clientInfo: { name, version: "1" } })
    await agent.#send({ jsonrpc: "2.0", method: "notifications/initialized" })
    return agent
  }

  /** Calls a tool; a result that says it failed is thrown. */
  async call(tool, params) {
    const result = await this.#ask("tools/call", { name: tool, arguments: params })
    if (result.isError) throw new Error(`${tool}: ${result.content?.[0]?.text}`)
    return result.structuredContent
  }

  /** Ends the session. */
  leave() {
    return fetch(this.#address, { method: "DELETE", headers: this.#headers })
  }

  async #ask(method, params) {
    const id = ++this.#count
    const reply = await this.#send({ jsonrpc: "2.0", id, method, params })
    const text = await reply.text()
    const messages = reply.headers.get("Content-Type")?.startsWith("text/event-stream") ? text.split("\n").flatMap(line => (line.startsWith("data:") && line.length > 6 ? [JSON.parse(line.slice(5))] : [])) : [JSON.parse(text)]
    const answer = messages.find(m => m.id === id)
    if (!answer) throw new Error(`${method}: no answer in ${text.slice(0, 200)}`)
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  async #send(message) {
    const reply = await fetch(this.#address, { method: "POST", headers: this.#headers, body: JSON.stringify(message) })
    if (!reply.ok) throw new Error(`${message.method}: ${reply.status} ${await reply.text()}`)
    const session = reply.headers.get("Mcp-Session-Id")
    if (session) this.#headers = { ...this.#headers, "Mcp-Session-Id": session, "MCP-Protocol-Version": version }
    return reply
  }
}
