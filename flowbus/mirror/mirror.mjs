// Mirror keeps a copy of a context by following its events: the blocks that
// show, in document order. It has no dependencies and needs no CRDT library; it
// runs in browsers and in Node from version 20 on.
//
//   const mirror = new Mirror("http://127.0.0.1:7433", context, { token })
//   mirror.follow({ signal, show: m => render(m.title, m.blocks) })
//
// node mirror.mjs URL CONTEXT prints it, as a line of JSON, at every version.

export class Mirror {
  #address
  #token
  #part = 0 // of the version, which is whole when they are equal
  #parts = 0
  #last = "" // the id of the last event
  version = 0
  heads = []
  title = ""
  blocks = []

  constructor(server, context, { token = "" } = {}) {
    this.#address = `${server.replace(/\/$/, "")}/v1/events?snapshot=true&context=${encodeURIComponent(context)}`
    this.#token = token
  }

  /** Follows for ever, or until the signal is given. It calls show at each version. */
  async follow({ signal, show = () => {}, log = () => {} } = {}) {
    while (!signal?.aborted) {
      try {
        await this.#stream(signal, show)
      } catch (err) {
        if (!signal?.aborted) log(`again in a second: ${err.message}`)
      }
      if (!signal?.aborted) await new Promise(done => setTimeout(done, 1000))
    }
  }

  /** Reads server-sent events, from where the mirror is on, until the stream ends. */
  async #stream(signal, show) {
    const headers = { "Last-Event-ID": this.#last }
    if (this.#token) headers.Authorization = `Bearer ${this.#token}`
    const response = await fetch(this.#address, { headers, signal, cache: "no-store" })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    let frame = { id: this.#last }
    for (let pieces = []; ; ) {
      const { value, done } = await reader.read()
      if (done) throw new Error("the stream has ended") // half a frame does not count
      const lines = value.split("\n")
      pieces.push(lines[0])
      for (const rest of lines.slice(1)) {
        const line = pieces.join("")
        pieces = [rest]
        const colon = line.indexOf(": ")
        if (colon > 0) frame[line.slice(0, colon)] = line.slice(colon + 2)
        if (line !== "" || !frame.event) continue
        try {
          this.apply(frame.event, JSON.parse(frame.data))
        } catch (err) {
          this.#reset()
          reader.cancel().catch(() => {})
          throw err
        }
        this.#last = frame.id
        frame = { id: frame.id }
        if (this.version > 0 && this.#part === this.#parts) show(this)
      }
    }
  }

  #reset({ version = 0, heads = [], title = "", blocks = [] } = {}) {
    Object.assign(this, { version, heads, title, blocks })
    this.#part = this.#parts = 0
    this.#last = ""
  }

  /** Takes in an event. After an exception the mirror has to begin again: it never guesses. */
  apply(name, event) {
    if (name === "snapshot") return this.#reset(event)
    if (!event.version || name === "hello") return // it is not about the document
    const { type, block: id, version, part, parts, heads, data = {} } = event
    const more = version === this.version && part === this.#part + 1 && part <= this.#parts
    const next = version === this.version + 1 && part === 1 && this.#part === this.#parts
    check(more || next, `${version}.${part} comes behind ${this.version}.${this.#part} of ${this.#parts}`)
    Object.assign(this, { version, heads })
    this.#part = part
    this.#parts = parts
    const i = this.#index(id)
    check(!id || i < 0 === (type === "block.inserted"), `${type}: block ${id} stands at ${i}`)
    const b = this.blocks[i]
    switch (type) {
      case "block.inserted":
        return this.#insert(data.block, data.after)
      case "block.moved":
        this.blocks.splice(i, 1)
        return this.#insert({ ...b, parent: data.parent, depth: data.depth }, data.after)
      case "block.deleted":
        return void this.blocks.splice(i, 1)
      case "block.text":
        b.content = data.splices.reduce(spliced, b.content)
        return check([...b.content].length === data.length, `block ${id} does not have ${data.length} characters`)
      case "block.status":
        return void (b.status = data.status)
      case "block.meta":
        return void Object.assign(b, { meta: data.meta, kind: data.kind, role: data.role, form: data.form })
      case "block.flags":
        return void Object.assign(b, { collapsed: data.collapsed, excluded: data.excluded, ephemeral: data.ephemeral })
      case "context.created":
      case "context.forked":
      case "context.renamed":
      case "context.advanced":
        if (data.title || type === "context.renamed") this.title = data.title
        return
    }
    check(false, `${type} is not known`)
  }

  #index(id) {
    return this.blocks.findIndex(b => b.id === id)
  }

  /** Puts a row right behind another one, or in front of all. */
  #insert(row, after) {
    const at = this.#index(after)
    check(at >= 0 || after === "", `block ${row.id} stands behind ${after}, which is not there`)
    this.blocks.splice(at + 1, 0, row)
  }
}

/** Carries out a splice, in code points: a string of JavaScript has UTF-16 units, of which some characters take two. */
function spliced(text, { pos, delete: del = 0, insert = "" }) {
  const points = Array.from(text)
  check(pos >= 0 && del >= 0 && pos + del <= points.length, `splice at ${pos} of ${points.length} characters`)
  return points.slice(0, pos).join("") + insert + points.slice(pos + del).join("")
}

function check(ok, message) {
  if (!ok) throw new Error(message)
}

if (globalThis.process?.argv[1]?.endsWith("mirror.mjs")) {
  const [, , server, context] = process.argv
  const mirror = new Mirror(server, context, { token: process.env.KJ_TOKEN })
  const show = ({ version, heads, title, blocks }) => console.log(JSON.stringify({ version, heads, title, blocks }))
  await mirror.follow({ show, log: console.error })
}
