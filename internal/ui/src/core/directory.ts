// What the page knows of contexts by their ids.

import { parseAutomergeUrl, stringifyAutomergeUrl, type AutomergeUrl, type BinaryDocumentId } from "@automerge/automerge-repo/slim"

/** What is known of the contexts of this server. */
export interface Directory {
  /** The name of the server's kernel, "" as long as it is not known. */
  readonly kernel: string
  /** A context's title, undefined for one that is not in the list. */
  titleOf(id: string): string | undefined
}

/** The address on this page of a context, given its UUID, and of a block in it; "" if that is no UUID. */
export function placeOf(id: string, block = ""): string {
  const hex = id.replaceAll("-", "")
  if (!/^[0-9a-fA-F]{32}$/.test(hex)) return ""
  const bytes = Uint8Array.from({ length: 16 }, (_, n) => parseInt(hex.slice(2 * n, 2 * n + 2), 16))
  return "#" + stringifyAutomergeUrl(bytes as BinaryDocumentId) + (block && "/" + block)
}

/** Whether a kernel's name is that of this server. */
export const isOurs = (kernel: string, known: Directory) => kernel === "" || kernel === known.kernel

/** The id, a UUID, of the context at an address that is an automerge: URL. */
export function uuidOf(url: AutomergeUrl): string {
  const hex = [...parseAutomergeUrl(url).binaryDocumentId].map(v => v.toString(16).padStart(2, "0")).join("")
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
}
