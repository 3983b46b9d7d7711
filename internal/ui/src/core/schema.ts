// What a context document holds, and how a stock client reads and writes it.

import * as A from "@automerge/automerge/slim"
import { hash } from "fast-sha256" // crypto.subtle is not there on plain http beyond this machine
import { keyIn, type Gap } from "./order"

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
  meta: string
  deleted: boolean
  collapsed: boolean
  excluded: boolean
  /** Where it lies in the document. */
  path: readonly [pages: "pages", page: string, id: string]
  /** The Automerge actor that made it, "" if that cannot be said. */
  actor: string
  /** When it was made, in milliseconds; null if its id does not say. */
  madeAt: number | null
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
  if (typeof raw.body === "string" || A.isImmutableString(raw.body)) return { form: "body", content: str(raw.body) }
  return { form: "chunks", content: Array.isArray(raw.chunks) ? raw.chunks.map(str).join("") : "" }
}

/** The lattice of statuses: where clients disagree, the higher one shows. */
const ranks: Record<string, number> = { pending: 1, running: 2, done: 3, error: 3, cancelled: 3 }

/** The status that shows: done if there is none; a late "running" never beats one that ends the work. */
function statusOf(raw: RawBlock): string {
  const status = str(raw.status)
  if (ranks[status] === 3) return status
  if (raw.status === undefined || !A.getObjectId(raw)) return ranks[status] ? status : "done"
  let best = status
  for (const other of Object.values(A.getConflicts(raw, "status") ?? {})) if ((ranks[str(other)] ?? 0) > (ranks[best] ?? 0)) best = str(other)
  return ranks[best] ? best : "done"
}

/** Reads one block. Fields of a wrong type read as absent. */
export function readBlock(id: string, raw: RawBlock): Block {
  return {
    id,
    kind: str(raw.kind) || "text",
    role: str(raw.role) || "user",
    status: statusOf(raw),
    parent: str(raw.parent),
    order: str(raw.order),
    meta: str(raw.meta),
    deleted: raw.deleted === true,
    collapsed: raw.collapsed === true,
    excluded: raw.excluded === true,
    path: ["pages", pageOf(id), id],
    actor: (A.getObjectId(raw) ?? "").split("@")[1] ?? "",
    madeAt: madeAt(id),
    ...contentOf(raw),
  }
}

/** Every block of a context, in no order. What lies on a page where it does not belong is no block. */
export function* rawBlocks(doc: ContextDoc): Generator<[page: string, id: string, raw: RawBlock]> {
  for (const [page, blocks] of Object.entries(doc.pages)) {
    if (typeof blocks !== "object" || blocks === null) continue
    for (const [id, raw] of Object.entries(blocks)) {
      if (isBlock(page, id, raw)) yield [page, id, raw]
    }
  }
}

/** How deep the tree goes; a block that would stand deeper shows at the root. */
const maxDepth = 512

/** Orders siblings: by order key, ties by id. */
export const bySibling = (a: Block, b: Block) => (a.order < b.order ? -1 : a.order > b.order ? 1 : a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** A block's place in the tree, as the page lists it. */
export interface Row {
  block: Block
  depth: number
}

/**
 * The blocks as people read them: parents before children, siblings by order.
 * At the root stand also those whose parent is missing, the one with the
 * lowest id of each circle of parents, and what would be too deep. Deleted
 * blocks are left out, with what hangs below them.
 */
export function inOrder(blocks: Map<string, Block>): Row[] {
  const children = childrenOf(blocks, circles(blocks))
  const rows: Row[] = []
  const push = (stack: Row[], parent: string, depth: number) => {
    const list = children.get(parent) ?? []
    for (let i = list.length - 1; i >= 0; i--) stack.push({ block: list[i]!, depth })
  }
  const stack: Row[] = []
  push(stack, "", 0)
  for (let row = stack.pop(); row; row = stack.pop()) {
    if (row.block.deleted) continue
    rows.push(row)
    push(stack, row.block.id, row.depth + 1)
  }
  return rows
}

/** The children of each block in order; those of "" stand at the root. */
function childrenOf(blocks: Map<string, Block>, cut: Set<Block>): Map<string, Block[]> {
  const arrange = () => {
    const children = new Map<string, Block[]>()
    for (const block of blocks.values()) {
      const parent = blocks.has(block.parent) && !cut.has(block) ? block.parent : ""
      const siblings = children.get(parent)
      if (siblings) siblings.push(block)
      else children.set(parent, [block])
    }
    for (const siblings of children.values()) siblings.sort(bySibling)
    return children
  }
  const children = arrange()
  const stack: Row[] = (children.get("") ?? []).map(block => ({ block, depth: 0 }))
  const before = cut.size
  for (let row = stack.pop(); row; row = stack.pop()) {
    for (const block of children.get(row.block.id) ?? []) {
      const deep = row.depth + 1 === maxDepth
      if (deep) cut.add(block)
      stack.push({ block, depth: deep ? 0 : row.depth + 1 })
    }
  }
  return cut.size === before ? children : arrange()
}

/** The block with the lowest id of each circle of parents. */
function circles(blocks: Map<string, Block>): Set<Block> {
  const cut = new Set<Block>()
  const walks = new Map<Block, number>() // which walk came by
  let walk = 0
  for (const start of blocks.values()) {
    walk++
    let block: Block | undefined = start
    for (; block && !walks.has(block); block = blocks.get(block.parent)) walks.set(block, walk)
    if (!block || walks.get(block) !== walk) continue
    let lowest = block
    for (let at = blocks.get(block.parent)!; at !== block; at = blocks.get(at.parent)!) if (at.id < lowest.id) lowest = at
    cut.add(lowest)
  }
  return cut
}

/** Reports whether what lies on a page under an id is a block. */
export function isBlock(page: string, id: string, raw: unknown): raw is RawBlock {
  return typeof raw === "object" && raw !== null && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id) && pageOf(id) === page
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
export interface Place extends Gap {
  parent: string
}

/** Puts a new text block into a context, within a change. */
export function putTextBlock(doc: ContextDoc, id: string, place: Place, text: string): void {
  const scalar = (s: string) => new A.ImmutableString(s)
  const block: RawBlock = { kind: scalar("text"), role: scalar("user"), status: scalar("done"), order: scalar(keyIn(place)), text }
  if (place.parent) block.parent = scalar(place.parent)
  doc.pages[pageOf(id)]![id] = block
}
