// What a context document holds, and how a stock client reads and writes it.

import * as A from "@automerge/automerge/slim"
import { hash } from "fast-sha256" // crypto.subtle is not there on plain http beyond this machine
import { own } from "./own"

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
const rank = (status: string): number => own(ranks, status) ?? 0

/** The status that shows: done if there is none; a late "running" never beats one that ends the work. */
function statusOf(raw: RawBlock): string {
  const status = str(raw.status)
  if (rank(status) === 3) return status
  if (raw.status === undefined || !A.getObjectId(raw)) return rank(status) ? status : "done"
  let best = status
  for (const other of Object.values(A.getConflicts(raw, "status") ?? {})) if (rank(str(other)) > rank(best)) best = str(other)
  return rank(best) ? best : "done"
}

/** Reads one block. Fields of a wrong type read as absent. */
export function readBlock(id: string, raw: RawBlock, page = pageOf(id)): Block {
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
    path: ["pages", page, id],
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

/** Where the blocks of a page lie, or one of them; a position in the document. */
export const pathOf = (id: string): Block["path"] => ["pages", pageOf(id), id]

/** The page that holds a block: "00" to "3f". */
export function pageOf(blockID: string): string {
  const first = hash(new TextEncoder().encode(blockID))[0]!
  return (first % 64).toString(16).padStart(2, "0")
}
