// Replicas of the stock library that sync over stdin and stdout, for the
// differential tests of internal/changegraph.
//
// A request is a length (4 bytes, little endian), a replica number, a letter
// and an argument; a reply is a length and a payload. The letters:
//
//   n  start with an empty document
//   e  make an edit; the argument is a seed (4 bytes, little endian)
//   g  generateSyncMessage; the payload is the message, or nothing
//   r  receiveSyncMessage; the argument is the message
//   s  a fresh sync state; with argument 1 one that remembers shared heads
//   k  keep the document on disk
//   l  start from what was kept, with another actor and a fresh state
//   h  the payload is the heads
//   a  the payload is all changes, each with its length, after a reload
import * as A from "@automerge/automerge"
import { Random } from "./random.mjs"

const replicas = new Map()
let actors = 0

function actor() {
  actors++
  return Buffer.from(`js ${actors}`.padEnd(16, ".")).toString("hex")
}

function start(id, bytes) {
  const old = replicas.get(id)
  if (old) A.free(old.doc)
  const doc = bytes ? A.load(bytes, { actor: actor() }) : A.init({ actor: actor() })
  replicas.set(id, { doc, state: A.initSyncState(), disk: old?.disk })
}

function edit(d, random) {
  switch (random.below(8)) {
    case 0: case 1:
      d[`k${random.below(4)}`] = random.below(1000)
      break
    case 2:
      if (d.list === undefined) d.list = []
      d.list.insertAt(random.below(d.list.length + 1), { at: random.below(9) })
      break
    case 3:
      if (typeof d.text === "string" && d.text.length > 2) {
        A.splice(d, ["text"], random.below(d.text.length), 1)
        break
      }
    // falls through
    case 4:
      if (typeof d.text === "string" && d.text.length > 4) {
        const end = random.between(1, d.text.length)
        A.mark(d, ["text"], { start: random.below(end), end, expand: random.pick(["both", "none", "after"]) }, "bold", true)
        break
      }
    // falls through
    default:
      if (typeof d.text !== "string") d.text = ""
      A.splice(d, ["text"], random.below(d.text.length + 1), 0, random.pick(["a", "bé", "😀", "word "]))
  }
}

const concat = parts => {
  const all = []
  for (const part of parts) {
    const size = Buffer.alloc(4)
    size.writeUInt32LE(part.length)
    all.push(size, part)
  }
  return Buffer.concat(all)
}

function handle(id, letter, arg) {
  const r = replicas.get(id)
  switch (letter) {
    case "n": start(id); return
    case "e": {
      const random = new Random(arg.readUInt32LE(0))
      r.doc = A.change(r.doc, { time: 1 }, d => edit(d, random))
      return
    }
    case "g": {
      const [state, message] = A.generateSyncMessage(r.doc, r.state)
      r.state = state
      return message ?? undefined
    }
    case "r": {
      const [doc, state] = A.receiveSyncMessage(r.doc, r.state, new Uint8Array(arg))
      r.doc = doc
      r.state = state
      return
    }
    case "s":
      r.state = arg[0] === 1 ? A.decodeSyncState(A.encodeSyncState(r.state)) : A.initSyncState()
      return
    case "k": r.disk = A.save(r.doc); return
    case "l": start(id, r.disk); return
    case "h": return Buffer.from(A.getHeads(r.doc).toSorted().join(""), "hex")
    case "a": {
      const doc = A.load(A.save(r.doc))
      const all = A.getAllChanges(doc)
      A.free(doc)
      return concat(all)
    }
  }
  throw new Error(`unknown request ${letter}`)
}

let buffered = Buffer.alloc(0)
for await (const chunk of process.stdin) {
  buffered = Buffer.concat([buffered, chunk])
  while (buffered.length >= 4 && buffered.length >= 4 + buffered.readUInt32LE(0)) {
    const end = 4 + buffered.readUInt32LE(0)
    const request = buffered.subarray(4, end)
    const reply = handle(request[0], String.fromCharCode(request[1]), request.subarray(2)) ?? new Uint8Array(0)
    buffered = buffered.subarray(end)
    process.stdout.write(concat([Buffer.from(reply)]))
  }
}
