// What can be done, as a list: the palette shows it, keys run it.

import { useEffect } from "react"

export interface Command {
  id: string
  title: string
  group: string
  /** "Mod+K", "Shift+Alt+ArrowUp", "?"; Mod is Ctrl, or Cmd on a Mac. */
  keys?: string
  hint?: string
  run(): void
  enabled?(): boolean
}

const sources = new Set<() => Command[]>()

/** Adds commands; they are asked for each time that they are needed. Returns how to take them away. */
export function registerCommands(source: () => Command[]): () => void {
  sources.add(source)
  return () => sources.delete(source)
}

/** All commands that can be run now; of two with the same id the one registered last. */
export function allCommands(): Command[] {
  const byId = new Map<string, Command>()
  for (const source of sources) for (const c of source()) byId.set(c.id, c)
  return [...byId.values()].filter(c => c.enabled?.() ?? true)
}

export function useCommands(fn: () => Command[], deps: readonly unknown[]): void {
  // eslint-disable-next-line react-hooks/exhaustive-deps
  useEffect(() => registerCommands(fn), deps)
}
