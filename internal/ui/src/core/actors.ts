// Who wrote what. An Automerge change names its actor; which principal an
// actor is, only the server knows.

import { op } from "./ops"

/** Who somebody is, as far as the page knows. */
export interface Author {
  kind: "person" | "agent" | "service" | "unknown"
  name: string
  /** It is this browser. */
  own: boolean
}

/** How many actors of one's own, and names of others, are remembered across reloads. */
const maxKept = 500
const ownKey = "kj.actors"
const namesKey = "kj.authors"
/** What is asked for within this time is asked at once. */
const gatherMillis = 30
/** From so many unknown authors on the whole list is read, not block by block. */
const fewBlocks = 6

const kinds = ["person", "agent", "service"] as const

export class Actors {
  readonly #storage: Storage | null
  readonly #own: Set<string>
  readonly #names: Map<string, string>
  readonly #kinds = new Map<string, Author["kind"]>()
  readonly #authors = new Map<string, Author>() // as they were told, so that equals are one object
  readonly #wanted = new Map<string, Map<string, string>>() // context → actor → a block of theirs
  #me = ""
  readonly #asked = new Set<string>()
  readonly #listeners = new Set<() => void>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Counts up when something is learnt. */
  version = 0

  constructor(storage: Storage | null) {
    this.#storage = storage
    const own = this.#load(ownKey)
    const names = this.#load(namesKey)
    this.#own = new Set(Array.isArray(own) ? own.filter(a => typeof a === "string") : [])
    this.#names = new Map(Array.isArray(names) ? names.filter((n): n is [string, string] => Array.isArray(n) && n.length === 2 && n.every(s => typeof s === "string")) : [])
  }

  /** Calls `fn` when something is learnt. */
  subscribe(fn: () => void): () => void {
    this.#listeners.add(fn)
    return () => this.#listeners.delete(fn)
  }

  /** Remembers an actor under which this browser writes. */
  mine(actor: string): void {
    if (this.#own.has(actor)) return
    this.#own.add(actor)
    this.#keep(ownKey, [...this.#own])
    this.#learnt()
  }

  /** Takes note of who this browser is to the server: what that one writes elsewhere is one's own too. */
  iAm(name: string): void {
    if (name === this.#me) return
    this.#me = name
    this.#learnt()
  }

  /** Reports whether it is known who an actor is. */
  knows(actor: string): boolean {
    return this.#own.has(actor) || this.#names.has(actor)
  }

  /** Who somebody of a name is. */
  named(name: string): Author {
    const own = name !== "" && name === this.#me
    return { kind: own ? "person" : (this.#kinds.get(name) ?? "unknown"), name: own ? "you" : name, own }
  }

  /** Takes note of who an actor is. */
  note(actor: string, name: string): void {
    if (name === "" || name === actor || this.#names.get(actor) === name) return
    this.#names.set(actor, name)
    this.#keep(namesKey, [...this.#names])
    this.#learnt()
  }

  /** Takes note of what somebody is, as a seat or an event says. */
  noteKind(name: string, kind: unknown): void {
    const known = kinds.find(k => k === kind)
    if (!known || name === "" || this.#kinds.get(name) === known) return
    this.#kinds.set(name, known)
    this.#learnt()
  }

  /** Who an actor is: "you" for this browser and for whom it is, the beginning of the actor for nobody known. */
  principalOf(actor: string): Author {
    let author = this.#authors.get(actor)
    if (!author) {
      author = this.#own.has(actor) ? { kind: "person", name: "you", own: true } : this.named(this.#names.get(actor) ?? actor.slice(0, 6))
      this.#authors.set(actor, author)
    }
    return author
  }

  /** Asks the server for the author of a block, if its actor is not known: once, or again after it could not be reached. */
  ask(context: string, block: string, actor: string): void {
    if (actor === "" || this.#own.has(actor) || this.#names.has(actor) || this.#asked.has(actor)) return
    this.#asked.add(actor)
    const wanted = this.#wanted.get(context) ?? new Map<string, string>()
    this.#wanted.set(context, wanted.set(actor, block))
    this.#timer ??= setTimeout(() => this.#askAll(), gatherMillis)
  }

  #askAll(): void {
    this.#timer = undefined
    const all = [...this.#wanted]
    this.#wanted.clear()
    for (const [context, wanted] of all) {
      this.#askFor(context, wanted).catch(() => {
        for (const actor of wanted.keys()) this.#asked.delete(actor)
      })
    }
  }

  async #askFor(context: string, wanted: Map<string, string>): Promise<void> {
    if (wanted.size < fewBlocks) {
      const asked = [...wanted].map(async ([actor, block_id]) => {
        const { author } = await op<{ author?: unknown }>("block_read", { context, block_id, range: { start: 0, end: 0 } })
        if (typeof author === "string") this.note(actor, author)
      })
      await Promise.all(asked)
      return
    }
    const { blocks } = await op<{ blocks?: unknown }>("block_list", { context, limit: 10_000, include_deleted: true })
    const authors = new Map((Array.isArray(blocks) ? blocks : []).map((b: { id?: unknown; author?: unknown }) => [b?.id, b?.author]))
    for (const [actor, block] of wanted) {
      const author = authors.get(block)
      if (typeof author === "string") this.note(actor, author)
    }
  }

  #learnt(): void {
    this.version++
    this.#authors.clear()
    for (const fn of [...this.#listeners]) fn()
  }

  #load(key: string): unknown {
    try {
      return JSON.parse(this.#storage?.getItem(key) ?? "null")
    } catch {
      return null // not ours
    }
  }

  #keep(key: string, list: unknown[]): void {
    try {
      this.#storage?.setItem(key, JSON.stringify(list.slice(-maxKept)))
    } catch {
      // Full: after a reload they are asked for, or show as another's.
    }
  }
}

/** The authors that this page knows. */
export const actors = new Actors(typeof localStorage === "undefined" ? null : localStorage)

/** The colour of somebody, 0 to 11: the same for a name wherever it shows. */
export function colourOf(name: string): number {
  let sum = 2166136261
  for (let i = 0; i < name.length; i++) sum = Math.imul(sum ^ name.charCodeAt(i), 16777619)
  return (sum >>> 0) % 12
}
