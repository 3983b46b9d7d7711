// What one may do in a context, as the server says it. The server is who
// enforces it; here it keeps the page from offering what would be refused.

import { useEffect, useState } from "react"
import { actors } from "../core/actors"
import { useAuthor, useLink } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import type { Block } from "../core/schema"
import { useDoc } from "./doc-context"

/** read: nothing is written. comment: comments are made, and one's own are edited. */
export type Rights = "read" | "comment" | "edit"

/** What is said of it. */
export const rightsWords: Readonly<Record<Exclude<Rights, "edit">, string>> = {
  read: "You may read this context",
  comment: "You may read this context and comment on it",
}

/** How often it is asked anew, in milliseconds: nothing tells of a role that changes. */
const againMillis = 60_000
const storageKey = "kj.rights"
const maxKept = 500

/** The rights that a role carries; null for a word that is no role. */
export function rightsOf(role: unknown): Rights | null {
  if (role === "none" || role === "reader") return "read"
  if (role === "commenter") return "comment"
  return role === "editor" || role === "owner" ? "edit" : null
}

/** Whether something may be done: with blocks that are written in, or, without any, by whoever may write everything. */
export function may(rights: Rights, blocks: readonly (Block | undefined)[] | null): boolean {
  if (rights !== "comment") return rights === "edit"
  return blocks !== null && blocks.every(block => block?.kind === "comment" && actors.principalOf(block.actor).own)
}

/** What one may do in a context: what the server said last, everything while it never said. */
export function useRights({ url }: ContextModel): Rights {
  const { connected, refusal } = useLink()
  const [rights, set] = useState(() => remembered()[url] ?? "edit")
  useEffect(() => {
    if (!connected) return
    let gone = false
    const ask = async () => {
      if (document.hidden) return
      try {
        const { context_role } = await op<{ context_role?: unknown }>("whoami", { context: url })
        const known = rightsOf(context_role)
        if (gone || known === null) return
        remember(url, known)
        set(known)
      } catch {
        // The server is away, or has no such context yet: what was known last counts.
      }
    }
    void ask()
    const timer = setInterval(ask, againMillis)
    window.addEventListener("focus", ask)
    document.addEventListener("visibilitychange", ask)
    return () => {
      gone = true
      clearInterval(timer)
      window.removeEventListener("focus", ask)
      document.removeEventListener("visibilitychange", ask)
    }
  }, [url, connected, refusal])
  return rights
}

/** Whether one may write in a block. */
export function useMayWrite(block: Block): boolean {
  const { model, rights } = useDoc()
  const { own } = useAuthor(model, block.id)
  return rights === "edit" || (rights === "comment" && block.kind === "comment" && own)
}

/** The contexts in which not everything may be done, as far as this browser knows. */
function remembered(): Partial<Record<string, Rights>> {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(storageKey) ?? "[]")
    const pairs = Array.isArray(kept) ? kept.filter(pair => Array.isArray(pair) && typeof pair[0] === "string" && (pair[1] === "read" || pair[1] === "comment")) : []
    return Object.fromEntries(pairs as [string, Rights][])
  } catch {
    return {} // not ours
  }
}

function remember(url: string, rights: Rights): void {
  const { [url]: before, ...others } = remembered()
  if ((before ?? "edit") === rights) return
  const all = Object.entries(others)
  if (rights !== "edit") all.push([url, rights])
  try {
    localStorage.setItem(storageKey, JSON.stringify(all.slice(-maxKept)))
  } catch {
    // Full: it is asked for each time.
  }
}
