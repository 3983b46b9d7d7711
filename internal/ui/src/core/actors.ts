// Who wrote what. An Automerge change names its actor; which principal an
// actor is, only the server knows.

/** How many actors of one's own are remembered across reloads. */
const maxOwn = 200
const ownKey = "kj.actors"

export class Actors {
  readonly #names = new Map<string, string>()
  readonly #own: Set<string>
  readonly #asked = new Set<string>()

  constructor() {
    let own: unknown = []
    if (typeof localStorage !== "undefined") try {
      own = JSON.parse(localStorage.getItem(ownKey) ?? "[]")
    } catch {
      // Not ours.
    }
    this.#own = new Set(Array.isArray(own) ? own.filter(a => typeof a === "string") : [])
  }

  /** Remembers an actor under which this browser writes. */
  mine(actor: string): void {
    if (this.#own.has(actor)) return
    this.#own.add(actor)
    try {
      localStorage.setItem(ownKey, JSON.stringify([...this.#own].slice(-maxOwn)))
    } catch {
      // Full: after a reload they show as another's.
    }
  }

  readonly #listeners = new Set<() => void>()
  /** Counts up when something is learnt. */
  version = 0

  subscribe(fn: () => void): () => void {
    this.#listeners.add(fn)
    return () => this.#listeners.delete(fn)
  }

  /** Who an actor is. */
  principalOf(actor: string): Author {
    const { text, own } = this.label(actor)
    return { kind: own ? "person" : "unknown", name: text, own }
  }

  /** What to show for an actor, and whether it is this browser. */
  label(actor: string): { text: string; own: boolean } {
    if (this.#own.has(actor)) return { text: "you", own: true }
    return { text: this.#names.get(actor) ?? actor.slice(0, 6), own: false }
  }

  /**
   * Asks the server for the authors of a context's blocks, at most once for
   * each unknown actor; `actors` maps block ids to actors. Resolves to true if
   * a name was learnt. Offline it learns nothing and may be asked again.
   */
  async learn(context: string, actors: Map<string, string>): Promise<boolean> {
    const unknown = [...new Set(actors.values())].filter(a => !this.#names.has(a) && !this.#asked.has(a))
    if (unknown.length === 0) return false
    for (const a of unknown) this.#asked.add(a)
    try {
      const reply = await fetch("/v1/ops/context_get", { method: "POST", body: JSON.stringify({ context }) })
      if (!reply.ok) return false
      const { block_list: list } = (await reply.json()) as { block_list?: { id: string; author?: string }[] }
      const before = this.#names.size
      for (const { id, author } of list ?? []) {
        const actor = actors.get(id)
        if (actor && author && author !== actor) this.#names.set(actor, author)
      }
      return this.#names.size > before
    } catch {
      for (const a of unknown) this.#asked.delete(a)
      return false
    }
  }
}

/** Who somebody is, as far as the page knows. */
export interface Author {
  kind: "person" | "agent" | "service" | "unknown"
  name: string
  /** It is this browser. */
  own: boolean
}

/** The authors that this page knows. */
export const actors = new Actors()

/** The colour of somebody, 0 to 11: the same for a name wherever it shows. */
export function colourOf(name: string): number {
  let sum = 2166136261
  for (let i = 0; i < name.length; i++) sum = Math.imul(sum ^ name.charCodeAt(i), 16777619)
  return (sum >>> 0) % 12
}
