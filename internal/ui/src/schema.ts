// What a context document holds, and how a stock client reads and writes it.

import * as A from "@automerge/automerge/slim"
import { hash } from "fast-sha256" // crypto.subtle is not there on plain http beyond this machine
import { between } from "./order"

/** A field written once: a scalar string in the document. */
type Scalar = A.ImmutableString | string

/** A block as it lies in the document. */
export interface RawBlock {
  kind: Scalar
  role: Scalar
  order: Scalar
  parent?: Scalar
  status?: Scalar
  text?: string
  body?: Scalar
  chunks?: Scalar[]
  meta?: Scalar
  deleted?: boolean
  collapsed?: boolean
  excluded?: boolean
  ephemeral?: boolean
}

export type Page = Record<string, RawBlock>

/** A context document. */
export interface ContextDoc {
  schema: number
  title: string
  pages: Record<string, Page>
}

/** Which of its three forms a block's content has. */
export type Form = "text" | "body" | "chunks"

/** A block as people see it. */
export interface Block {
  id: string
  kind: string
  role: string
  status: string
  parent: string
  order: string
  form: Form
  content: string
  deleted: boolean
  collapsed: boolean
  excluded: boolean
}

/** Reads a scalar string; anything else is "". */
export function str(value: unknown): string {
  if (typeof value === "string") return value
  if (A.isImmutableString(value)) return value.toString()
  return ""
}

/** Reports whether a document is a context. */
export function isContext(doc: unknown): doc is ContextDoc {
  const d = doc as Partial<ContextDoc> | undefined
  return !!d && Number(d.schema) === 1 && typeof d.pages === "object" && d.pages !== null
}

/** The content of a block: `text` if present, else `body`, else the joined `chunks`. */
export function contentOf(raw: RawBlock): { form: Form; content: string } {
  if (typeof raw.text === "string") return { form: "text", content: raw.text }
  if (raw.body !== undefined) return { form: "body", content: str(raw.body) }
  return { form: "chunks", content: Array.isArray(raw.chunks) ? raw.chunks.map(str).join("") : "" }
}

/** Reads one block. Fields of a wrong type read as absent. */
export function readBlock(id: string, raw: RawBlock): Block {
  return {
    id,
    kind: str(raw.kind),
    role: str(raw.role),
    status: str(raw.status),
    parent: str(raw.parent),
    order: str(raw.order),
    deleted: raw.deleted === true,
    collapsed: raw.collapsed === true,
    excluded: raw.excluded === true,
    ...contentOf(raw),
  }
}

/** Every block of a context, in no order. */
export function* rawBlocks(doc: ContextDoc): Generator<[page: string, id: string, raw: RawBlock]> {
  for (const [page, blocks] of Object.entries(doc.pages)) {
    if (typeof blocks !== "object" || blocks === null) continue
    for (const [id, raw] of Object.entries(blocks)) {
      if (typeof raw === "object" && raw !== null) yield [page, id, raw]
    }
  }
}

const bySibling = (a: Block, b: Block) => (a.order < b.order ? -1 : a.order > b.order ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** A block's place in the tree, as the page lists it. */
export interface Row {
  block: Block
  depth: number
}

/**
 * The blocks as people read them: parents before children, siblings by order,
 * ties by id. A block whose parent is missing, or that is in a circle of
 * parents, stands at the root. Deleted blocks are left out, with what hangs below them.
 */
export function inOrder(blocks: Map<string, Block>): Row[] {
  const children = new Map<string, Block[]>()
  for (const block of blocks.values()) {
    const parent = blocks.has(block.parent) ? block.parent : ""
    const siblings = children.get(parent)
    if (siblings) siblings.push(block)
    else children.set(parent, [block])
  }
  const rows: Row[] = []
  const seen = new Set<string>()
  const walk = (tops: Block[]) => {
    const stack = tops.map(block => ({ block, depth: 0 })).reverse()
    for (let row = stack.pop(); row; row = stack.pop()) {
      if (seen.has(row.block.id)) continue
      seen.add(row.block.id)
      if (row.block.deleted) {
        hide(row.block)
        continue
      }
      rows.push(row)
      const below = (children.get(row.block.id) ?? []).sort(bySibling)
      for (let i = below.length - 1; i >= 0; i--) stack.push({ block: below[i]!, depth: row.depth + 1 })
    }
  }
  const hide = (top: Block) => {
    const stack = [top]
    for (let block = stack.pop(); block; block = stack.pop()) {
      for (const child of children.get(block.id) ?? []) {
        if (seen.has(child.id)) continue
        seen.add(child.id)
        stack.push(child)
      }
    }
  }
  walk((children.get("") ?? []).sort(bySibling))
  if (seen.size < blocks.size) walk([...blocks.values()].filter(b => !seen.has(b.id)).sort(bySibling))
  return rows
}

/** A UUIDv7 (RFC 9562 §5.7): a block's id says when it was made. */
export function newBlockID(now = Date.now()): string {
  const b = crypto.getRandomValues(new Uint8Array(16))
  for (let i = 0; i < 6; i++) b[i] = Math.floor(now / 2 ** (8 * (5 - i))) % 256
  b[6] = (b[6]! & 0x0f) | 0x70
  b[8] = (b[8]! & 0x3f) | 0x80
  const hex = [...b].map(v => v.toString(16).padStart(2, "0")).join("")
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** When a block was made, in milliseconds, from its UUIDv7; null for other ids. */
export function madeAt(id: string): number | null {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7/.test(id) ? parseInt(id.slice(0, 8) + id.slice(9, 13), 16) : null
}

/** The page that holds a block: "00" to "3f". */
export function pageOf(blockID: string): string {
  const first = hash(new TextEncoder().encode(blockID))[0]!
  return (first % 64).toString(16).padStart(2, "0")
}

/** What a new block needs to know of its place. */
export interface Place {
  parent: string
  /** Order keys of the siblings before and after; "" and null at the ends. */
  after: string
  before: string | null
}

/** Puts a new text block into a context, within a change. */
export function putTextBlock(doc: ContextDoc, id: string, place: Place, text: string): void {
  const scalar = (s: string) => new A.ImmutableString(s)
  const block: RawBlock = {
    kind: scalar("text"),
    role: scalar("user"),
    status: scalar("done"),
    order: scalar(between(place.after, place.before)),
    text,
  }
  if (place.parent) block.parent = scalar(place.parent)
  doc.pages[pageOf(id)]![id] = block
}
