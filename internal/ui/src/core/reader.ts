// Reading blocks again after patches: only those that were touched.

import type * as A from "@automerge/automerge/slim"
import { isBlock, pageOf, rawBlocks, readBlock, str, type Block, type ContextDoc, type RawBlock } from "./schema"
import type { Step } from "./tree"

/** What came to the end of a list of chunks, as long as nothing else happened to it. */
interface Tail {
  from: number
  added: unknown[]
}

export class Reader {
  #everything = false
  #title = false
  readonly #touched = new Map<string, Tail | null>()
  readonly #chunks = new Map<string, number>() // how many chunks a block that streams had

  /** Something is noted that was not read yet. */
  get pending(): boolean {
    return this.#everything || this.#title || this.#touched.size > 0
  }

  readAll(doc: ContextDoc): Block[] {
    this.#chunks.clear()
    const blocks: Block[] = []
    for (const [page, id, raw] of rawBlocks(doc)) blocks.push(this.#read(page, id, raw))
    return blocks
  }

  note(patches: readonly A.Patch[]): void {
    for (const patch of patches) {
      const [first, , id, field] = patch.path
      if (first === "title") this.#title = true
      else if (first === "pages" && patch.path.length < 3) this.#everything = true // a page was put in place of another
      else if (first === "pages") this.#touched.set(String(id), field === "chunks" ? this.#tailOf(String(id), patch) : null)
    }
  }

  /** Reads what was touched; `known` are the blocks as they were. */
  settle(doc: ContextDoc, known: ReadonlyMap<string, Block>): { title: string; steps: Step[] } {
    const steps = this.#everything ? this.#compare(doc, known) : this.#reread(doc, known)
    this.#everything = this.#title = false
    this.#touched.clear()
    return { title: str(doc.title), steps }
  }

  #reread(doc: ContextDoc, known: ReadonlyMap<string, Block>): Step[] {
    const steps: Step[] = []
    for (const [id, tail] of this.#touched) {
      const before = known.get(id)
      const page = before?.path[1] ?? pageOf(id)
      const raw: unknown = doc.pages[page]?.[id]
      const after = before || isBlock(page, id, raw) ? this.#again(page, id, raw, before, tail) : undefined
      if (before || after) steps.push({ before, after })
    }
    return steps.filter(isNews)
  }

  #again(page: string, id: string, raw: unknown, before: Block | undefined, tail: Tail | null): Block | undefined {
    if (typeof raw !== "object" || raw === null) return void this.#chunks.delete(id)
    const grown = before && tail && streams(raw as RawBlock) && (raw as RawBlock).chunks!.length === tail.from + tail.added.length
    if (!grown) return this.#read(page, id, raw as RawBlock)
    this.#chunks.set(id, tail.from + tail.added.length)
    return { ...before, content: before.content + tail.added.map(str).join("") }
  }

  #read(page: string, id: string, raw: RawBlock): Block {
    if (streams(raw)) this.#chunks.set(id, raw.chunks!.length)
    else this.#chunks.delete(id)
    return readBlock(id, raw, page)
  }

  #compare(doc: ContextDoc, known: ReadonlyMap<string, Block>): Step[] {
    const now = new Map(this.readAll(doc).map(block => [block.id, block]))
    const steps: Step[] = []
    for (const [id, before] of known) if (!now.has(id)) steps.push({ before, after: undefined })
    for (const [id, after] of now) steps.push({ before: known.get(id), after })
    return steps.filter(isNews)
  }

  /** What is known of a block's end after a patch to its chunks; null when it must be read from the start. */
  #tailOf(id: string, patch: A.Patch): Tail | null {
    const from = this.#chunks.get(id)
    if (from === undefined || patch.action !== "insert" || patch.path.length !== 5) return null
    const tail = this.#touched.has(id) ? this.#touched.get(id)! : { from, added: [] }
    if (!tail || patch.path[4] !== tail.from + tail.added.length) return null
    for (const value of patch.values) tail.added.push(value)
    return tail
  }
}

/** Reports whether a block's content is in chunks. */
const streams = (raw: RawBlock) => Array.isArray(raw.chunks) && typeof raw.text !== "string" && (raw.body === undefined || raw.body === null)

const fields = ["kind", "role", "status", "parent", "order", "form", "content", "meta", "deleted", "collapsed", "excluded", "actor"] as const

const isNews = ({ before, after }: Step) => !before || !after || fields.some(field => before[field] !== after[field])
