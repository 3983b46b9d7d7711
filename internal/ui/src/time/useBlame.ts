// Colouring the text of a context by who wrote it, or by how old it is: whether
// it is on is remembered for this browser.

import { createContext, useContext, useEffect, useMemo, useState } from "react"
import { useCommands } from "../core/commands"
import type { ContextModel } from "../core/model"
import { preference, usePreference } from "../parts"
import { BlameBook } from "./blame"

export type BlameBy = "author" | "age"

export interface Blame {
  on: boolean
  by: BlameBy
  set(by: BlameBy | "off"): void
  /** Null while it is off. */
  book: BlameBook | null
}

const choice = preference<BlameBy | "off">("kj.blame", "off", v => v === "off" || v === "author" || v === "age")

/** The colours of a context; once for each that is shown. It brings the commands that switch them. */
export function useBlame(model: ContextModel): Blame {
  const [by, set] = usePreference(choice)
  const on = by !== "off"
  const [book, setBook] = useState<BlameBook | null>(null)
  useEffect(() => {
    if (!on) return setBook(null)
    const fresh = new BlameBook(model)
    setBook(fresh)
    return () => fresh.close()
  }, [model, on])
  useCommands(
    () => [
      { id: "blame.author", title: by === "author" ? "Stop colouring by author" : "Colour by author", group: "View", keys: "b", run: () => set(by === "author" ? "off" : "author") },
      { id: "blame.age", title: by === "age" ? "Stop colouring by age" : "Colour by age", group: "View", run: () => set(by === "age" ? "off" : "age") },
    ],
    [by],
  )
  return useMemo(() => ({ on, by: by === "off" ? "author" : by, set, book }), [on, by, book])
}

const off: Blame = { on: false, by: "author", set: () => {}, book: null }
const BlameContext = createContext<Blame>(off)
export const BlameProvider = BlameContext.Provider

/** The colours of the context around; off where there are none. */
export const useBlameHere = (): Blame => useContext(BlameContext)
