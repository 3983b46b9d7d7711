// The differences of two states of a context, as the server finds them.

import { op } from "../core/ops"
import { list, record, text } from "./points"

export interface BlockDiff {
  id: string
  kind: string
  role: string
  how: readonly string[]
  patch: string
  inserted: number
  deleted: number
  status: { from: string; to: string } | null
}

export interface ContextDiff {
  title: { from: string; to: string } | null
  from: number
  to: number
  blocks: readonly BlockDiff[]
}

export async function askDiff(context: string, from: string, to: string, signal: AbortSignal): Promise<ContextDiff> {
  return diffOf(await op<unknown>("context_diff", { context, from, ...(to && { to }) }, { signal }))
}

/** Reads what the server answers. */
export function diffOf(answer: unknown): ContextDiff {
  const a = record(answer)
  return {
    title: changeOf(a.title),
    from: number(record(a.from).version),
    to: number(record(a.to).version),
    blocks: list(a.blocks)
      .map(record)
      .map(b => ({
        id: text(b.id),
        kind: text(b.kind),
        role: text(b.role),
        how: list(b.how).filter(h => typeof h === "string"),
        patch: text(b.patch),
        inserted: number(b.lines_inserted),
        deleted: number(b.lines_deleted),
        status: changeOf(b.status),
      })),
  }
}

const number = (v: unknown) => (typeof v === "number" && Number.isFinite(v) ? v : 0)

function changeOf(v: unknown): { from: string; to: string } | null {
  if (typeof v !== "object" || v === null) return null
  const { from, to } = v as Record<string, unknown>
  return { from: text(from), to: text(to) }
}
