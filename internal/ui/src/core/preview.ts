// The beginning of a context as the server lists it.

import { op } from "./ops"

/** A block as the server lists it, until the document is there. */
export interface Preview {
  readonly id: string
  readonly depth: number
  readonly kind: string
  readonly role: string
  readonly status: string
  readonly author: string
  /** How the content begins. */
  readonly content: string
}

const maxRows = 60

/** The first blocks of a context, null if the server cannot be asked or does not tell. */
export async function previewOf(context: string, signal: AbortSignal): Promise<Preview[] | null> {
  try {
    const { blocks } = await op<{ blocks?: unknown }>("block_list", { context, limit: maxRows }, { signal })
    return Array.isArray(blocks) ? blocks.filter(isObject).map(rowOf) : null
  } catch {
    return null
  }
}

const rowOf = (b: Record<string, unknown>): Preview => ({
  id: text(b.id),
  depth: Number.isSafeInteger(b.depth) ? Math.max(0, Math.min(511, b.depth as number)) : 0,
  kind: text(b.kind) || "text",
  role: text(b.role) || "user",
  status: text(b.status) || "done",
  author: text(b.author),
  content: text(b.summary),
})

const text = (v: unknown) => (typeof v === "string" ? v : "")
const isObject = (v: unknown): v is Record<string, unknown> => typeof v === "object" && v !== null
