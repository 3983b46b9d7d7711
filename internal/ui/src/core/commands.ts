// What can be done, as a list: the palette shows it, keys run it.

import { useEffect, useRef } from "react"
import { isPressed, isTyping } from "./keys"

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
const watchers = new Set<() => void>()

/** Adds commands; they are asked for each time that they are needed. Returns how to take them away. */
export function registerCommands(source: () => Command[]): () => void {
  listen()
  sources.add(source)
  for (const fn of watchers) fn()
  return () => {
    sources.delete(source)
    for (const fn of watchers) fn()
  }
}

/** Tells when commands come or go. */
export function watchCommands(fn: () => void): () => void {
  watchers.add(fn)
  return () => void watchers.delete(fn)
}

/** All commands that can be run now; of two with the same id the one registered last. */
export function allCommands(): Command[] {
  const byId = new Map<string, Command>()
  for (const source of sources) for (const c of source()) byId.set(c.id, c)
  return [...byId.values()].filter(c => c.enabled?.() ?? true)
}

/** Adds commands for as long as the component is there. */
export function useCommands(fn: () => Command[], _deps: readonly unknown[] = []): void {
  // The list is asked for when it is needed, so that it is always of the last rendering.
  const last = useRef(fn)
  useEffect(() => void (last.current = fn))
  useEffect(() => registerCommands(() => last.current()), [])
}

let listening = false

function listen(): void {
  if (listening || typeof window === "undefined") return
  listening = true
  window.addEventListener("keydown", press)
}

/** Runs the command that a key names; the one registered last when several do. */
function press(e: KeyboardEvent): void {
  if (e.defaultPrevented || e.isComposing || e.repeat) return
  const found = allCommands().filter(c => c.keys !== undefined && isPressed(c.keys, e) && !(isTyping(c.keys) && isTakingText(e))).at(-1)
  if (!found || (hasDialog() && found.keys !== "Mod+K")) return
  e.preventDefault()
  found.run()
}

/** Reports whether what is pressed goes into a text. */
function isTakingText(e: KeyboardEvent): boolean {
  const at = e.composedPath()[0]
  if (!(at instanceof HTMLElement)) return false
  return at.isContentEditable || at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement || (at instanceof HTMLInputElement && !["checkbox", "radio", "button", "submit", "range"].includes(at.type))
}

const hasDialog = () => document.querySelector("dialog[open]") !== null
