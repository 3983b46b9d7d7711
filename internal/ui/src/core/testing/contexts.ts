// Contexts for tests: documents of the real engine.

import * as A from "@automerge/automerge/slim"
import { Repo, type DocHandle } from "@automerge/automerge-repo/slim"
import { keyIn, type Gap } from "../order"
import { newBlockID, pageOf, type ContextDoc, type RawBlock } from "../schema"

export const str = (text: string) => new A.ImmutableString(text)

/** A context without blocks. */
export const emptyContext = () => A.from({ schema: 1, title: "T", pages: Object.fromEntries(Array.from({ length: 64 }, (_, n) => [n.toString(16).padStart(2, "0"), {}])) } as unknown as Record<string, unknown>) as unknown as A.Doc<ContextDoc>

/** A context with text blocks at the root, in a repo of its own; their ids. */
export function contextOf(...texts: string[]): { handle: DocHandle<ContextDoc>; ids: string[] } {
  const handle = new Repo().import<ContextDoc>(A.save(emptyContext()))
  const ids: string[] = []
  let low = ""
  for (const text of texts) {
    const id = newBlockID()
    handle.change(doc => {
      putTextBlock(doc, id, { parent: "", low, high: null }, text)
      low = String(doc.pages[pageOf(id)]![id]!.order)
    })
    ids.push(id)
  }
  return { handle, ids }
}

/** Puts a block as some client would; fields as they are given, sound or not. */
export function putRaw(doc: ContextDoc, id: string, fields: Record<string, unknown>): void {
  doc.pages[pageOf(id)]![id] = { kind: str("text"), role: str("user"), order: str(keyIn({ low: "", high: null })), ...fields } as unknown as RawBlock
}

/** Numbers as by chance, the same ones for a seed. */
export function chance(seed: number): (below: number) => number {
  return below => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

/** Puts a new text block into a context, within a change. */
export function putTextBlock(doc: ContextDoc, id: string, place: Gap & { parent: string }, text: string): void {
  const block: RawBlock = { kind: str("text"), role: str("user"), status: str("done"), order: str(keyIn(place)), text }
  if (place.parent) block.parent = str(place.parent)
  doc.pages[pageOf(id)]![id] = block
}
