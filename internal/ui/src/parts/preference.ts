// What this person has chosen for this browser. Kept in localStorage, told to
// the other tabs, and of no weight: without a store it lasts as long as the page.

import { useSyncExternalStore } from "react"

export interface Preference<T> {
  get(): T
  set(value: T): void
  subscribe(fn: () => void): () => void
}

/** A value under a key of localStorage, as JSON. What `fits` denies reads as `otherwise`. */
export function preference<T>(key: string, otherwise: T, fits: (v: unknown) => v is T): Preference<T> {
  const listeners = new Set<() => void>()
  const tell = () => listeners.forEach(fn => fn())
  let value = read()
  function read(): T {
    try {
      const stored: unknown = JSON.parse(localStorage.getItem(key) ?? "null")
      return fits(stored) ? stored : otherwise
    } catch {
      return otherwise // no store, or not ours
    }
  }
  if (typeof window !== "undefined") {
    window.addEventListener("storage", e => {
      if (e.key !== key && e.key !== null) return
      value = read()
      tell()
    })
  }
  return {
    get: () => value,
    set(next) {
      value = next
      try {
        localStorage.setItem(key, JSON.stringify(next))
      } catch {
        // Full, or forbidden: it counts until the page goes.
      }
      tell()
    },
    subscribe(fn) {
      listeners.add(fn)
      return () => listeners.delete(fn)
    },
  }
}

/** A preference and how to change it, kept current. */
export function usePreference<T>(p: Preference<T>): [T, (value: T) => void] {
  return [useSyncExternalStore(p.subscribe, p.get, p.get), p.set]
}

const isBoolean = (v: unknown): v is boolean => typeof v === "boolean"
const isText = (v: unknown): v is string => typeof v === "string" && v.length <= 64
export type Theme = "auto" | "light" | "dark"

export const theme = preference<Theme>("kj.theme", "auto", (v): v is Theme => v === "auto" || v === "light" || v === "dark")
/** What others see this person called; "" for the name that the server knows. */
export const nick = preference("kj.nick", "", isText)
/** Text blocks show their Markdown as it is written, always. */
export const alwaysSource = preference("kj.source", false, isBoolean)
