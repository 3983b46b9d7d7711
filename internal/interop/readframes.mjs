// Reads frames, one a line in hex, and prints for each what the JavaScript
// clients read from it: JSON, byte strings as {"hex": …}, a BigInt as
// {"bigint": …}.
import readline from "node:readline"
import { cbor } from "@automerge/automerge-repo"

const plain = v =>
  v instanceof Uint8Array ? { hex: Buffer.from(v).toString("hex") }
  : Array.isArray(v) ? v.map(plain)
  : typeof v === "bigint" ? { bigint: String(v) }
  : v && typeof v === "object" ? Object.fromEntries(Object.entries(v).map(([k, x]) => [k, plain(x)]))
  : v
for await (const line of readline.createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(plain(cbor.decode(new Uint8Array(Buffer.from(line, "hex"))))))
}
