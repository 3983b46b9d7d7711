// What else the meta of a drift block says of where it comes from: the state of
// the source, the contexts that it passed, the commit that it tells of. Any
// editor may have written it: what is not as it should be reads as absent.

import { countOf, isFields, lineOf, textOf, textsOf, type Fields } from "./check"

export interface Provenance {
  /** Change hashes of the source as it was. */
  heads: string[]
  /** The contexts that it passed before, as kernel:uuid, the oldest first. */
  chain: string[]
  /** Its number in the queue of its kernel; 0 where it had none. */
  number: number
  /** Who sent it: person, agent or service; "" where it does not say. */
  senderKind: string
  commit: CommitName | null
}

/** A git commit as a block names it. */
export interface CommitName {
  hash: string
  branch: string
  mount: string
  files: number
}

const maxMeta = 64 << 10
const none: Provenance = { heads: [], chain: [], number: 0, senderKind: "", commit: null }
const isHead = (s: string) => /^[0-9a-f]{64}$/.test(s)
const isPlace = (s: string) => s.length <= 80 && /^[a-z0-9-]{1,32}:[0-9a-f-]{36}$/.test(s)

export function provenanceOf(meta: string): Provenance {
  if (meta === "" || meta.length > maxMeta) return none
  let o: unknown
  try {
    o = JSON.parse(meta)
  } catch {
    return none
  }
  if (!isFields(o)) return none
  const sender = isFields(o.principal) ? textOf(o.principal.kind) : ""
  return {
    heads: textsOf(o.heads, 64).filter(isHead),
    chain: textsOf(o.chain, 64).filter(isPlace),
    number: countOf(o.number),
    senderKind: ["person", "agent", "service"].includes(sender) ? sender : "",
    commit: isFields(o.commit) ? commitName(o.commit) : null,
  }
}

function commitName(c: Fields): CommitName | null {
  const hash = textOf(c.hash)
  if (!/^[0-9a-f]{7,64}$/.test(hash)) return null
  return { hash, branch: lineOf(textOf(c.branch), 120), mount: lineOf(textOf(c.mount), 200), files: countOf(c.files) }
}
