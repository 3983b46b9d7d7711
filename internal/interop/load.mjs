// Opens files with the unmodified npm package. Reads length (4 bytes, big
// endian) and bytes until the end of stdin; answers each with a line of JSON,
// see describe in plain.mjs, or {"error": text}.

import { describe } from "./plain.mjs"

function answer(file) {
  try {
    return describe(new Uint8Array(file))
  } catch (err) {
    return { error: String(err) }
  }
}

let pending = Buffer.alloc(0)
for await (const data of process.stdin) {
  pending = Buffer.concat([pending, data])
  while (pending.length >= 4) {
    const size = pending.readUInt32BE(0)
    if (pending.length < 4 + size) break
    process.stdout.write(JSON.stringify(answer(pending.subarray(4, 4 + size))) + "\n")
    pending = pending.subarray(4 + size)
  }
}
