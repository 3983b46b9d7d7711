// A context as the page shows it: it follows the document patch by patch, so
// that a keystroke costs what it touches and not what there is.

import * as A from "@automerge/automerge/slim"
import type { AutomergeUrl, DocHandle } from "@automerge/automerge-repo/slim"
import type { Block, ContextDoc } from "./schema"

/** A block's line in the list: what shows, in order. */
export interface Row {
  readonly id: string
  readonly depth: number
  /** How many children hang directly below it. */
  readonly children: number
  /** Its children are left out. */
  readonly folded: boolean
}

/** What a subscriber wants to be told of. */
export type Topic = "rows" | "title" | "any" | { block: string }

export interface PatchInfo {
  /** The change was made in this page. */
  local: boolean
}

export class ContextModel {
  readonly handle: DocHandle<ContextDoc>
  readonly url: AutomergeUrl
  /** The context's id, a UUID. */
  readonly id: string
  title = ""
  rows: readonly Row[] = []

  constructor(handle: DocHandle<ContextDoc>) {
    this.handle = handle
    this.url = handle.url
    this.id = ""
  }

  /** How many blocks there are, without the deleted. */
  get size(): number {
    return 0
  }

  block(_id: string): Block | undefined {
    return undefined
  }

  children(_id: string): readonly string[] {
    return []
  }

  /** "" at the root. */
  parentOf(_id: string): string {
    return ""
  }

  /** The place in `rows`, -1 for what does not show. */
  indexOf(_id: string): number {
    return -1
  }

  deleted(): Block[] {
    return []
  }

  subscribe(_what: Topic, _fn: () => void): () => void {
    return () => {}
  }

  onPatches(_fn: (patches: A.Patch[], info: PatchInfo) => void): () => void {
    return () => {}
  }

  /** The change hashes of the newest changes. */
  heads(): string[] {
    return A.getHeads(this.handle.doc() as A.Doc<ContextDoc>)
  }

  close(): void {}
}
