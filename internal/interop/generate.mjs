// Writes real Automerge histories to stdout, made by the unmodified npm
// package from a seed: node generate.mjs --seed 1 --changes 10000 [--kind rich]
//
// A history is one record, every number 4 bytes big endian:
//   length, name; length, document chunk (save); count of changes and for each
//   length, change chunk (getAllChanges order); count of heads and for each
//   32 bytes; length, JSON (see describe in plain.mjs)

import * as A from "@automerge/automerge"
import { writeSync } from "node:fs"
import { Random } from "./random.mjs"
import { describe } from "./plain.mjs"
import { History, kinds } from "./history.mjs"

function options() {
  const given = { seed: 1, changes: 1000, kind: "" }
  for (let i = 2; i < process.argv.length; i += 2) {
    const name = process.argv[i].replace(/^--/, "")
    if (!(name in given) || i + 1 === process.argv.length) throw new Error(`unknown option ${process.argv[i]}`)
    given[name] = name === "kind" ? process.argv[i + 1] : Number(process.argv[i + 1])
  }
  if (given.kind !== "" && !(given.kind in kinds)) throw new Error(`unknown kind ${given.kind}`)
  return given
}

function number(n) {
  const b = Buffer.alloc(4)
  b.writeUInt32BE(n)
  return b
}

function write(buffer) {
  for (let at = 0; at < buffer.length; ) {
    try {
      at += writeSync(1, buffer, at)
    } catch (err) {
      if (err.code !== "EAGAIN") throw err
    }
  }
}

function record(name, doc) {
  const parts = []
  const block = (bytes) => parts.push(number(bytes.length), bytes)
  const changes = A.getAllChanges(doc)
  const heads = A.getHeads(doc)
  block(Buffer.from(name))
  const saved = A.save(doc)
  block(saved)
  parts.push(number(changes.length))
  changes.forEach(block)
  parts.push(number(heads.length), ...heads.map((h) => Buffer.from(h, "hex")))
  block(Buffer.from(JSON.stringify(describe(saved))))
  write(Buffer.concat(parts))
  return changes.length
}

// The package draws actor ids and the time of a change from here.
function seedTheEngine(random) {
  globalThis.crypto.getRandomValues = (array) => {
    array.set(random.bytes(array.length))
    return array
  }
  let now = 1_700_000_000_000
  Date.now = () => (now += random.below(5000))
}

const { seed, changes, kind } = options()
const random = new Random(seed)
seedTheEngine(new Random(seed ^ 0x5eed))
const names = kind === "" ? Object.keys(kinds) : [kind]
for (let made = 0, n = 0; made < changes; n++) {
  const name = names[n % names.length]
  const history = new History(random)
  kinds[name](history)
  made += record(`${seed}/${n}/${name}`, history.merged())
  history.free()
}
