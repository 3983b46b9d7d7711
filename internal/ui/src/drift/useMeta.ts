// The meta of a block, read once for each state of it.

import { useMemo } from "react"
import { readMeta, type Meta } from "../core/meta"
import { rememberQuotes } from "./quotes"

export function useMeta({ kind, meta }: { kind: string; meta: string }): Meta {
  return useMemo(() => {
    const read = readMeta(kind, meta)
    rememberQuotes(read.citations)
    return read
  }, [kind, meta])
}
