// Change chunks by hand: hashes, frames, and bytes that no library would write.
import { createHash } from "node:crypto"
import { deflateRawSync, inflateRawSync } from "node:zlib"

const magic = Buffer.from([0x85, 0x6f, 0x4a, 0x83])

export const hex = text => new Uint8Array(Buffer.from(text, "hex"))

/** Unsigned LEB128. */
export function uleb(value) {
  const out = []
  for (let v = BigInt(value); ; v >>= 7n) {
    if (v < 128n) return Buffer.from([...out, Number(v)])
    out.push(Number(v & 127n) | 128)
  }
}

/** A chunk of a type and body with the right checksum. */
export function chunk(type, body) {
  const rest = Buffer.concat([Buffer.from([type]), uleb(body.length), body])
  return new Uint8Array(Buffer.concat([magic, sha(rest).subarray(0, 4), rest]))
}

/** The body of a chunk. */
export function bodyOf(bytes) {
  let at = 9
  while (bytes[at] & 128) at++
  return Buffer.from(bytes.subarray(at + 1))
}

/** The hash of the change in a chunk, as hexadecimal digits, whether or not its checksum is right. */
export function hashOf(bytes) {
  const body = bytes[8] === 2 ? inflateRawSync(bodyOf(bytes)) : bodyOf(bytes)
  return sha(Buffer.concat([Buffer.from([bytes[8] === 2 ? 1 : bytes[8]]), uleb(body.length), body])).toString("hex")
}

/** The same change as a deflated chunk. */
export function deflated(bytes) {
  const body = deflateRawSync(bodyOf(bytes))
  return new Uint8Array(Buffer.concat([magic, Buffer.from(bytes.subarray(4, 8)), Buffer.from([2]), uleb(body.length), body]))
}

/** A deflated chunk that inflates to `size` bytes. */
export function bomb(size) {
  const body = deflateRawSync(Buffer.alloc(size), { level: 9 })
  return new Uint8Array(Buffer.concat([magic, Buffer.alloc(4), Buffer.from([2]), uleb(body.length), body]))
}

/** A copy with one byte changed. */
export function flipped(bytes, at) {
  const copy = Uint8Array.from(bytes)
  copy[at < 0 ? copy.length + at : at] ^= 1
  return copy
}

const sha = bytes => createHash("sha256").update(bytes).digest()
