// Handles of citations, context/block@heads#first-last, and the places in a
// text that cite. What is a handle is decided as the server decides it.

/** What a handle names. */
export interface Handle {
  /** "" for the kernel of this server. */
  kernel: string
  /** A UUID, or any other address of a context. */
  context: string
  block: string
  heads: string[]
  /** Lines from 1, both included; 0 for the whole block. */
  first: number
  last: number
}

/** A piece of a text; with a handle it is a link. */
export interface Piece {
  text: string
  handle?: string
  /** The number by which it cites, of "[1]". */
  ref?: number
}

const maxHandle = 8192
const maxLinks = 1000
const uuid = "[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
const heads = "@[0-9a-fA-F]{8,64}(?:,[0-9a-fA-F]{8,64})*"
const lines = "#[Ll]?[0-9]{1,10}(?:-[Ll]?[0-9]{1,10})?"
const whole = new RegExp(`^(.+)/(${uuid})(${heads})?(${lines})?$`)
const bare = `${uuid}/${uuid}(?:${heads})?(?:${lines})?` // behind its kernel, if it names one
const kernelBefore = /[a-z0-9-]{1,32}:$/
const mayCite = new RegExp(`\\[[0-9]|\\[\\[|${uuid}/`)
const citing = () => new RegExp(`\\[\\[([^\\[\\]\\r\\n]+)\\]\\]|\\[([0-9]{1,7})\\]|${bare}`, "g")
const halfPair = /\p{Surrogate}/u // of a surrogate pair: in no UTF-8
const isUUID = new RegExp(`^${uuid}$`)

/** Reads a handle, null for what is none. */
export function parseHandle(text: string): Handle | null {
  const found = text.length <= maxHandle && !halfPair.test(text) && whole.exec(text)
  if (!found) return null
  const [, address, block, at, range] = found
  const [first, last] = (range ?? "").replace(/[#Ll]/g, "").split("-").map(Number)
  const h: Handle = { ...split(address!), block: block!.toLowerCase(), heads: at ? at.slice(1).toLowerCase().split(",") : [], first: first ?? 0, last: last ?? first ?? 0 }
  const good = h.context === h.context.trim() && h.context !== "" && h.last >= h.first && h.last < 2 ** 31 && (!range || h.first > 0)
  return good ? h : null
}

/** Takes the kernel off an address; a scheme is none, and a colon at the beginning says that there is none. */
function split(address: string): { kernel: string; context: string } {
  const found = /^([a-z0-9-]{0,32}):(?!\s|\/\/)(.*)$/.exec(address)
  return found && !address.startsWith("automerge:") ? { kernel: found[1]!, context: found[2]! } : { kernel: "", context: address }
}

/** The lines of a citation, for people. */
export function linesOf({ first, last }: { first?: number; last?: number }): string {
  if (!first) return "the whole block"
  return first === last ? `line ${first}` : `lines ${first}–${last}`
}

/** How a context is called where its title is not known. */
export const shortOf = (context: string) => (isUUID.test(context) ? context.slice(-6) : context)

/** Cuts a text into what cites and what stands between; `refs` are the handles that "[1]" stands for. */
export function piecesOf(text: string, refs: ReadonlyMap<number, string>): Piece[] {
  const plain = !(text.includes("[") || text.includes("/")) || !mayCite.test(text)
  if (plain) return text === "" ? [] : [{ text }]
  const pieces: Piece[] = []
  let from = 0
  for (const found of text.matchAll(citing())) {
    const cites = citeAt(text, found, refs)
    if (!cites) continue
    const { at, ...piece } = cites
    if (at > from) pieces.push({ text: text.slice(from, at) })
    pieces.push(piece)
    from = at + piece.text.length
    if (pieces.length > 2 * maxLinks) break
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}

/** What cites where something was found that may. */
function citeAt(text: string, found: RegExpMatchArray, refs: ReadonlyMap<number, string>): (Piece & { at: number }) | null {
  const [match, bracketed, number] = found
  const at = found.index!
  if (number !== undefined) {
    const ref = Number(number)
    const handle = refs.get(ref)
    return handle === undefined ? null : { at, text: match, handle, ref }
  }
  if (bracketed !== undefined) return parseHandle(bracketed) && { at, text: match, handle: bracketed }
  const kernel = kernelBefore.exec(text.slice(Math.max(0, at - 33), at))?.[0] ?? ""
  const start = at - kernel.length
  const handle = kernel + match
  return parseHandle(handle) && standsAlone(text, start, at + match.length) ? { at: start, text: handle, handle } : null
}

/** Reports whether what was found is not a piece of a longer word. */
function standsAlone(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 2), start)
  const after = text.slice(end, end + 2)
  return !/[\p{L}\p{Nd}_\-/:@#]$/u.test(before) && !/^[\p{L}\p{Nd}_\-/@#]/u.test(after)
}

const citePrefix = "/cite/"

/** The address that opens a citation on this page, from its "#" on: the one to share. */
export const citeAddress = (handle: string) => "#" + citePrefix + encodeURI(handle).replaceAll("#", "%23")

/** The handle in an address without its "#", null if it opens something else. */
export function handleIn(address: string): string | null {
  return address.startsWith(citePrefix) ? decoded(address.slice(citePrefix.length)) : null
}

/** Undoes the encoding of an address; one that is encoded wrongly stays as it is. */
export function decoded(address: string): string {
  try {
    return decodeURIComponent(address)
  } catch {
    return address
  }
}
