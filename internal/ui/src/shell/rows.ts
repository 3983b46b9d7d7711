// The contexts as the server lists them, and the tree that their lineage makes.

import { isValidAutomergeUrl } from "@automerge/automerge-repo/slim"

export interface ContextRow {
  id: string
  short: string
  label: string
  /** automerge:… */
  url: string
  title: string
  /** How many blocks show. */
  blocks: number
  archived: boolean
  /** The id of the context that it was forked from, "" for none. */
  origin: string
}

/** A context in the tree, with what was forked from it. */
export interface TreeNode {
  row: ContextRow
  forks: TreeNode[]
}

/** Reads one row; null for what is none. */
export function rowFrom(v: unknown): ContextRow | null {
  if (typeof v !== "object" || v === null) return null
  const o = v as Record<string, unknown>
  const url = text(o.url)
  if (text(o.id) === "" || !isValidAutomergeUrl(url)) return null
  const from = typeof o.forked_from === "object" && o.forked_from !== null ? (o.forked_from as Record<string, unknown>) : {}
  return {
    id: text(o.id),
    short: text(o.short),
    label: text(o.label),
    url,
    title: text(o.title),
    blocks: typeof o.blocks === "number" ? o.blocks : 0,
    archived: o.archived === true,
    origin: text(from.context) || text(o.origin),
  }
}

/** The rows in a list, without what is none. */
export const rowsFrom = (v: unknown): ContextRow[] => (Array.isArray(v) ? v.flatMap(r => rowFrom(r) ?? []) : [])

/** What a context is called. */
export const nameOf = (row: Pick<ContextRow, "title">): string => row.title.trim() || "Untitled"

/** The document's id in its address. */
export const documentOf = (url: string): string => url.slice("automerge:".length)

/**
 * The tree: the newest context first, and below each the forks of it in the
 * order of their making. A fork of what is not in the list stands at the top.
 */
export function treeOf(rows: readonly ContextRow[]): TreeNode[] {
  const nodes = new Map(rows.map(row => [row.id, { row, forks: [] } as TreeNode]))
  const inOrder = [...nodes.values()].sort((a, b) => (a.row.id < b.row.id ? -1 : 1)) // ids are made in the order of time
  const tops: TreeNode[] = []
  for (const node of inOrder) {
    const above = nodes.get(node.row.origin)
    // A fork is younger than its origin; what claims otherwise would close a circle.
    if (above && above.row.id < node.row.id) above.forks.push(node)
    else tops.push(node)
  }
  return tops.reverse()
}

/** The ids of the contexts above one, nearest first. */
export function ancestors(rows: readonly ContextRow[], id: string): string[] {
  const byId = new Map(rows.map(r => [r.id, r]))
  const above: string[] = []
  for (let at = byId.get(id)?.origin; at && byId.has(at) && !above.includes(at); at = byId.get(at)!.origin) above.push(at)
  return above
}

const text = (v: unknown): string => (typeof v === "string" ? v : "")
