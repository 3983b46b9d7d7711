// A context as the page shows it: it follows the document patch by patch, so
// that a keystroke costs what it touches and not what there is.

import * as A from "@automerge/automerge/slim"
import type { AutomergeUrl, DocHandle, DocHandleChangePayload } from "@automerge/automerge-repo/slim"
import { uuidOf } from "./directory"
import { nextFrame } from "./frame"
import { isMadeHere, watchMade } from "./local"
import { Reader } from "./reader"
import { rowsOf, type Row } from "./rows"
import { isContext, str, type Block, type ContextDoc } from "./schema"
import { Tree } from "./tree"

export type { Row } from "./rows"

/** What a subscriber wants to be told of. */
export type Topic = "rows" | "title" | "any" | { block: string }

export interface PatchInfo {
  /** The change was made in this page. */
  local: boolean
}

type Listener = () => void

export class ContextModel {
  readonly handle: DocHandle<ContextDoc>
  readonly url: AutomergeUrl
  /** The context's id, a UUID. */
  readonly id: string
  readonly #reader = new Reader()
  readonly #tree: Tree
  #title: string
  #rows: readonly Row[]
  #places: Map<string, number> | null = null // of each block in the rows, when somebody asked
  readonly #lists = { rows: new Set<Listener>(), title: new Set<Listener>(), any: new Set<Listener>() }
  readonly #blockListeners = new Map<string, Set<Listener>>()
  readonly #patchListeners = new Set<(patches: A.Patch[], info: PatchInfo) => void>()
  // What is not told yet.
  readonly #news = { rows: false, title: false, any: false, blocks: new Set<string>() }
  #stopWaiting: (() => void) | null = null

  /** Follows the document of a handle that is ready and holds a context. */
  constructor(handle: DocHandle<ContextDoc>) {
    this.handle = handle
    this.url = handle.url
    this.id = uuidOf(handle.url)
    const doc = handle.doc()
    this.#tree = new Tree(this.#reader.readAll(doc))
    this.#title = str(doc.title)
    this.#rows = rowsOf(this.#tree)
    watchMade(handle)
    handle.on("change", this.#changed)
  }

  get title(): string {
    this.#settle()
    return this.#title
  }

  /** What shows, in order: a new array only when that changed. */
  get rows(): readonly Row[] {
    this.#settle()
    return this.#rows
  }

  /** How many blocks there are, folded ones too, deleted ones not. */
  get size(): number {
    this.#settle()
    let n = 0
    for (const block of this.#tree.blocks.values()) if (!block.deleted) n++
    return n
  }

  /** A block, deleted or not: a new object only when it changed. */
  block(id: string): Block | undefined {
    this.#settle()
    return this.#tree.blocks.get(id)
  }

  /** What hangs below a block, or below "" at the root, in order, without what is deleted. */
  children(id: string): readonly string[] {
    this.#settle()
    return this.#tree.below(id).flatMap(b => (b.deleted ? [] : [b.id]))
  }

  /** What a block hangs below: "" at the root. */
  parentOf(id: string): string {
    this.#settle()
    return this.#tree.parentOf(id)
  }

  /** The place in `rows`, -1 for what does not show. */
  indexOf(id: string): number {
    this.#settle()
    this.#places ??= new Map(this.#rows.map((row, n) => [row.id, n]))
    return this.#places.get(id) ?? -1
  }

  /** Every block in order, also what hangs below collapsed ones: for export and search. */
  everything(): Block[] {
    this.#settle()
    return rowsOf(this.#tree, [], true).map(row => this.#tree.blocks.get(row.id)!)
  }

  /** The deleted blocks that can be restored, in the order of their ids. */
  deleted(): Block[] {
    this.#settle()
    return [...this.#tree.blocks.values()].filter(b => b.deleted).sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** Calls `fn` when something is different: at once after a change made here, else at most once per picture. */
  subscribe(what: Topic, fn: Listener): () => void {
    if (typeof what === "string") {
      this.#lists[what].add(fn)
      return () => this.#lists[what].delete(fn)
    }
    const { block } = what
    const list = this.#blockListeners.get(block) ?? new Set()
    this.#blockListeners.set(block, list.add(fn))
    return () => {
      list.delete(fn)
      if (list.size === 0 && this.#blockListeners.get(block) === list) this.#blockListeners.delete(block)
    }
  }

  /** Calls `fn` with the patches of each change, as they come. */
  onPatches(fn: (patches: A.Patch[], info: PatchInfo) => void): () => void {
    this.#patchListeners.add(fn)
    return () => this.#patchListeners.delete(fn)
  }

  /** The hashes of the newest changes. */
  heads(): string[] {
    return A.getHeads(this.handle.doc() as A.Doc<ContextDoc>)
  }

  close(): void {
    this.handle.off("change", this.#changed)
    this.#stopWaiting?.()
    this.#stopWaiting = null
    Object.values(this.#lists).forEach(list => list.clear())
    this.#blockListeners.clear()
    this.#patchListeners.clear()
  }

  readonly #changed = ({ doc, patches }: DocHandleChangePayload<ContextDoc>): void => {
    const local = isMadeHere(this.handle)
    if (isContext(doc)) this.#reader.note(patches)
    for (const fn of [...this.#patchListeners]) fn(patches, { local })
    this.#news.any = true
    if (local) {
      this.#stopWaiting?.()
      this.#tell()
    } else this.#stopWaiting ??= nextFrame(this.#tell)
  }

  /** Takes in what the patches touched: late, so that a burst of them costs its blocks once. */
  #settle(): void {
    if (!this.#reader.pending) return
    const doc: unknown = this.handle.doc()
    if (!isContext(doc)) return
    const { title, steps } = this.#reader.settle(doc, this.#tree.blocks)
    if (title !== this.#title) {
      this.#title = title
      this.#news.title = true
    }
    for (const { before, after } of steps) this.#news.blocks.add((after ?? before)!.id)
    if (!this.#tree.update(steps)) return
    const rows = rowsOf(this.#tree, this.#rows)
    if (rows === this.#rows) return
    this.#rows = rows
    this.#places = null
    this.#news.rows = true
  }

  readonly #tell = (): void => {
    this.#stopWaiting = null
    this.#settle()
    const news = this.#news
    const told: Listener[] = []
    if (news.rows) told.push(...this.#lists.rows)
    if (news.title) told.push(...this.#lists.title)
    for (const id of news.blocks) told.push(...(this.#blockListeners.get(id) ?? []))
    if (news.any) told.push(...this.#lists.any)
    news.rows = news.title = news.any = false
    news.blocks.clear()
    for (const fn of told) fn()
  }
}
