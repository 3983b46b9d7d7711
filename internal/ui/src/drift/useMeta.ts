// The meta of a block, read once for each state of it.

import { useMemo } from "react"
import { readMeta, type Meta } from "../core/meta"

export const useMeta = ({ kind, meta }: { kind: string; meta: string }): Meta => useMemo(() => readMeta(kind, meta), [kind, meta])
