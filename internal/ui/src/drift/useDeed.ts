// Something that is asked of the server by a button: once at a time, and what
// came of it.

import { useRef, useState } from "react"
import { Refused } from "../core/ops"

export interface Problem {
  text: string
  kind: string
  /** The parameter that is at fault, "" if none is. */
  field: string
}

export interface Deed {
  busy: boolean
  problem: Problem | null
  /** Does it; null if it failed or is being done already. */
  run<T>(what: () => Promise<T>): Promise<T | null>
  clear(): void
}

export function useDeed(): Deed {
  const under = useRef(false)
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem | null>(null)
  const run = async <T>(what: () => Promise<T>): Promise<T | null> => {
    if (under.current) return null
    under.current = true
    setBusy(true)
    setProblem(null)
    try {
      return await what()
    } catch (err) {
      setProblem(problemOf(err))
      return null
    } finally {
      under.current = false
      setBusy(false)
    }
  }
  return { busy, problem, run, clear: () => setProblem(null) }
}

export function problemOf(err: unknown): Problem {
  if (err instanceof Refused) return { text: [err.message, err.hint].filter(Boolean).join("\n"), kind: err.kind, field: err.field }
  return { text: "The server cannot be reached. Nothing is lost: try again when it is back.", kind: "offline", field: "" }
}
