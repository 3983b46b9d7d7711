// The file tree as rows: folders that were read and are unfolded, one below
// the other.

import type { Entry } from "./answers"

/** What is known of a folder. */
export interface Folder {
  entries: readonly Entry[]
  /** There are more of them, from here on. */
  next: string
  loading: boolean
  error: string
}

export type TreeRow =
  | { kind: "entry"; depth: number; entry: Entry; open: boolean; loading: boolean }
  | { kind: "more"; depth: number; path: string; next: string }
  | { kind: "words"; depth: number; path: string; text: string }

/** Links may name what is above them, but are never gone through; this bounds what is deep all the same. */
const maxDepth = 64

/**
 * The rows below a folder: directories before files. With a filter, those whose
 * names hold it and the folders above them, as far as they have been read.
 */
export function flatten(root: string, folders: ReadonlyMap<string, Folder>, open: ReadonlySet<string>, filter = ""): TreeRow[] {
  const wanted = filter.trim().toLowerCase()
  const rows: TreeRow[] = []
  const walk = (path: string, depth: number): boolean => {
    const folder = folders.get(path)
    if (!folder || depth > maxDepth) return false
    let any = false
    if (folder.error && depth > 0) rows.push({ kind: "words", depth, path, text: folder.error })
    for (const entry of sorted(folder.entries)) {
      const dir = entry.kind === "dir"
      const shown = dir && (wanted ? folders.has(entry.path) : open.has(entry.path))
      const at = rows.length
      rows.push({ kind: "entry", depth, entry, open: shown, loading: dir && (folders.get(entry.path)?.loading ?? false) })
      const below = shown && walk(entry.path, depth + 1)
      if (wanted && !below && !entry.name.toLowerCase().includes(wanted)) rows.length = at
      else any = true
    }
    if (folder.entries.length === 0 && !folder.loading && !folder.error && depth > 0 && !wanted) rows.push({ kind: "words", depth, path, text: "empty" })
    if (folder.next && !wanted) rows.push({ kind: "more", depth, path, next: folder.next })
    return any
  }
  walk(root, 0)
  return rows
}

function sorted(entries: readonly Entry[]): Entry[] {
  const dirs = entries.filter(e => e.kind === "dir")
  return [...dirs, ...entries.filter(e => e.kind !== "dir")]
}
