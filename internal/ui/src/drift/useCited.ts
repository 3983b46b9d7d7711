// A citation that is open: read from the server, and once more when that is
// back.

import { useEffect, useState } from "react"
import { parseHandle } from "../core/handle"
import { useLink } from "../core/hooks"
import { op, Refused } from "../core/ops"
import { aroundOf, citedFrom, writersOf, type Cited } from "./cited"

export interface OpenCitation {
  /** "" while it is read; wrong for what is no handle. */
  state: "" | "wrong" | "offline" | "not found" | Cited["state"]
  cited: Cited | null
  writers: ReadonlyMap<number, string>
  around: { before: string; behind: string }
  /** Why it could not be read. */
  problem: string
}

const reading: OpenCitation = { state: "", cited: null, writers: new Map(), around: { before: "", behind: "" }, problem: "" }
const away = "The server cannot be reached. It is there that the cited text is read; this goes on when it is back."

export function useCited(handle: string): OpenCitation {
  const { connected } = useLink()
  const [open, setOpen] = useState<OpenCitation>(reading)
  const failed = open.state === "offline"
  const again = failed && connected

  useEffect(() => setOpen(reading), [handle])

  useEffect(() => {
    if (!parseHandle(handle)) return setOpen({ ...reading, state: "wrong" })
    const stop = new AbortController()
    const { signal } = stop
    const add = (more: Partial<OpenCitation>) => !signal.aborted && setOpen(o => ({ ...o, ...more }))
    void (async () => {
      try {
        const cited = citedFrom(await op<unknown>("citation_resolve", { handle }, { signal }))
        if (!cited) throw new Refused("The server's answer cannot be read.")
        add({ ...reading, state: cited.state, cited })
        // What only adds to it may fail: the text stands there already.
        writersOf(cited, signal).then(writers => add({ writers }), () => {})
        aroundOf(cited, signal).then(around => add({ around }), () => {})
      } catch (err) {
        const refused = err instanceof Refused && err.kind !== "unavailable"
        add({ state: refused ? "not found" : "offline", problem: refused ? err.message : err instanceof Refused ? err.message : away })
      }
    })()
    return () => stop.abort()
    // It is read again when the server is back: `again` says when.
  }, [handle, again])

  return open
}
