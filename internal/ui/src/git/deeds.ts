// What people set going on this page: one at a time, with what came of it.

import { useCallback, useRef, useState } from "react"
import { Refused } from "../core/ops"

/** What went wrong, in words, with what the server knows of how to mend it. */
export function wordsOf(err: unknown): string {
  if (err instanceof Refused && err.hint && !err.message.includes(err.hint)) return `${err.message} (${err.hint})`
  return err instanceof Error ? err.message : String(err)
}

export interface Deed {
  busy: boolean
  error: Error | null
  /** Runs something unless another one runs; resolves to whether it went well. */
  run(what: () => Promise<unknown>): Promise<boolean>
  clear(): void
}

/** The error of a form that belongs to one field, or to none of those named. */
export function errorAt(error: Error | null, field: string): string | null {
  return error instanceof Refused && error.field === field ? wordsOf(error) : null
}
export const errorElsewhere = (error: Error | null, fields: readonly string[]): string | null => (error && !(error instanceof Refused && fields.includes(error.field)) ? wordsOf(error) : null)

export function useDeed(): Deed {
  const [state, setState] = useState<{ busy: boolean; error: Error | null }>({ busy: false, error: null })
  const busy = useRef(false)
  const run = useCallback(async (what: () => Promise<unknown>) => {
    if (busy.current) return false
    busy.current = true
    setState({ busy: true, error: null })
    try {
      await what()
      setState({ busy: false, error: null })
      return true
    } catch (err) {
      setState({ busy: false, error: err as Error })
      return false
    } finally {
      busy.current = false
    }
  }, [])
  const clear = useCallback(() => setState(s => ({ ...s, error: null })), [])
  return { ...state, run, clear }
}
