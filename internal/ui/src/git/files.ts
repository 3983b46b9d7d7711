// Where the text of a file's block lies: its mount and its path there.

import type { Block } from "../core/schema"

export interface FilePlace {
  /** "/mnt/app", "" if the block does not say. */
  mount: string
  /** Relative to the mount. */
  path: string
  /** In the file tree: what operations take. "" if the block does not say. */
  full: string
}

const maxMeta = 64 << 10
const maxPath = 4096
const nowhere: FilePlace = { mount: "", path: "", full: "" }

/** Reads it from the meta of a block, which anybody may have written. */
export function filePlace(block: Pick<Block, "kind" | "meta">): FilePlace {
  if (block.kind !== "file" || block.meta === "" || block.meta.length > maxMeta) return nowhere
  try {
    const meta: unknown = JSON.parse(block.meta)
    if (typeof meta !== "object" || meta === null) return nowhere
    const { path, mount } = meta as Record<string, unknown>
    if (typeof path !== "string" || path === "" || path.length > maxPath || path.startsWith("/") || path.split("/").includes("..")) return nowhere
    if (typeof mount !== "string" || !mount.startsWith("/") || mount.length > maxPath) return { mount: "", path, full: "" }
    return { mount, path, full: `${mount}/${path}` }
  } catch {
    return nowhere
  }
}
