// Where drifts come from and go to: contexts of this kernel and of others.

import { placeOf } from "../core/directory"
import { countOf, isFields, lineOf, rowsOf, textOf, textsOf } from "./check"

/** A context as operations name it. */
export interface Place {
  /** "" for this kernel. */
  kernel: string
  /** A UUID; of another kernel also an address. "" for a context that one may not read. */
  id: string
  short: string
  label: string
  title: string
}

const nowhere: Place = { kernel: "", id: "", short: "", label: "", title: "" }
const maxName = 120

export function placeFrom(v: unknown): Place {
  if (!isFields(v)) return nowhere
  const name = (key: string) => lineOf(textOf(v[key]), maxName)
  return { kernel: name("kernel"), id: name("id"), short: name("short"), label: name("label"), title: name("title") }
}

/** What tells places apart. */
export const keyOf = (p: Place) => `${p.kernel}:${p.id}`

const isUUID = (id: string) => /^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(id)

/** How people call a place. */
export function nameOf(p: Place): string {
  const own = p.title || p.label || p.short || (isUUID(p.id) ? p.id.slice(-6) : p.id)
  if (!own) return p.kernel ? `a context of ${p.kernel}` : "a context you may not read"
  return p.kernel ? `${p.kernel}: ${own}` : own
}

/** The address on this page of a context of this kernel, and of a block in it; "" for what cannot be opened here. */
export const hrefOf = (p: Pick<Place, "kernel" | "id">, block = "") => (p.kernel ? "" : placeOf(p.id, isUUID(block) ? block : ""))

/** A context that drifts may go to, with what waits there. */
export interface Target extends Place {
  blocks: number
  unread: number
  staged: number
  archived: boolean
}

/** Reads what drift_list answers. */
export function targetsFrom(answer: unknown): { targets: Target[]; kernels: string[] } {
  if (!isFields(answer)) return { targets: [], kernels: [] }
  const targets = rowsOf(answer.contexts, 100_000).map(row => ({ ...placeFrom(row), blocks: countOf(row.blocks), unread: countOf(row.unread), staged: countOf(row.staged), archived: row.archived === true }))
  return { targets: targets.filter(t => t.id !== ""), kernels: textsOf(answer.kernels).filter(k => k !== "") }
}
