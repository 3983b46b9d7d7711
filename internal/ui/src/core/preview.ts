// The beginning of a context as the server lists it.

import { isValidAutomergeUrl } from "@automerge/automerge-repo/slim"
import { uuidOf } from "./directory"
import { op } from "./ops"
import { parse } from "./route"

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

let begun: { context: string; rows: Promise<Preview[] | null> } | null = null

/** Asks for the context that the page's address names, before the engine is there that could open it. */
export function beginPreview(): void {
  const route = parse(location.hash)
  if (route.view !== "context" || !isValidAutomergeUrl(route.url)) return
  const context = uuidOf(route.url)
  begun = { context, rows: ask(context) }
}

/** The first blocks of a context, null if the server cannot be asked or does not tell. */
export function previewOf(context: string, signal: AbortSignal): Promise<Preview[] | null> {
  const early = begun
  begun = null
  return early?.context === context ? early.rows : ask(context, signal)
}

async function ask(context: string, signal?: AbortSignal): Promise<Preview[] | null> {
  try {
    const { blocks } = await op<{ blocks?: unknown }>("block_list", { context, limit: maxRows }, signal && { signal })
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
