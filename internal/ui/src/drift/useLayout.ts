// A graph's layout, made in a worker; the one before stays until it is there.

import { useEffect, useRef, useState } from "react"
import type { Layout, LayoutInput } from "./layout"

interface Answer {
  id: number
  layout: Layout
}

/** The newest layout, null as long as there is none, and whether one is being made. Without an input nothing is. */
export function useLayout(input: LayoutInput | null): { layout: Layout | null; busy: boolean; error: string } {
  const worker = useRef<Worker | null>(null)
  const wanted = useRef(0)
  const [state, setState] = useState<{ layout: Layout | null; busy: boolean; error: string }>({ layout: null, busy: true, error: "" })

  useEffect(() => () => worker.current?.terminate(), [])

  useEffect(() => {
    if (!input) return
    const id = ++wanted.current
    setState(s => ({ ...s, busy: true }))
    // One that is still at work on what nobody wants any more is given up.
    worker.current?.terminate()
    const made = new Worker(new URL("./layout.worker.ts", import.meta.url), { type: "module" })
    worker.current = made
    made.onmessage = (e: MessageEvent<Answer>) => {
      if (e.data.id === wanted.current) setState({ layout: e.data.layout, busy: false, error: "" })
    }
    made.onerror = () => setState(s => ({ ...s, busy: false, error: "The graph could not be drawn; the list shows the same." }))
    made.postMessage({ id, input })
  }, [input])

  return state
}
