// A context as it was: states are asked of the server, kept while there is
// room, and asked for ahead of time around where somebody looks.

import { op } from "../core/ops"
import { madeAt, pathOf, type Block, type Form } from "../core/schema"
import { list, record, text } from "./points"

/** A block as it was. */
export interface PastBlock {
  block: Block
  depth: number
  author: string
  via: string
}

export interface State {
  moment: string
  title: string
  version: number
  heads: readonly string[]
  blocks: readonly PastBlock[]
}

/** How many states are kept, and how many blocks of them all together. */
const maxStates = 40
const maxBlocks = 60_000

/** The states of one context. */
export class Past {
  readonly #context: string
  readonly #kept = new Map<string, State>() // the last used is last
  readonly #asked = new Map<string, { state: Promise<State>; stop: AbortController; wanted: boolean }>()

  constructor(context: string) {
    this.#context = context
  }

  /** The state at a moment, if it is at hand. */
  peek(moment: string): State | undefined {
    const state = this.#kept.get(moment)
    if (state) {
      this.#kept.delete(moment)
      this.#kept.set(moment, state)
    }
    return state
  }

  /** The state at a moment. What was asked for before and is not wanted any more is dropped. */
  async at(moment: string): Promise<State> {
    for (const [other, asked] of this.#asked) {
      if (other === moment) continue
      asked.stop.abort()
      this.#asked.delete(other)
    }
    return this.peek(moment) ?? this.#ask(moment, true)
  }

  /** Asks for states that may be wanted next, one after the other, until something else is wanted. */
  async ahead(moments: readonly string[], signal: AbortSignal): Promise<void> {
    for (const moment of moments) {
      if (signal.aborted) return
      if (this.#kept.has(moment)) continue
      try {
        await this.#ask(moment, false)
      } catch {
        return // whoever wants it will hear why
      }
    }
  }

  close(): void {
    for (const { stop } of this.#asked.values()) stop.abort()
    this.#asked.clear()
    this.#kept.clear()
  }

  #ask(moment: string, wanted: boolean): Promise<State> {
    const under = this.#asked.get(moment)
    if (under) {
      under.wanted ||= wanted
      return under.state
    }
    const stop = new AbortController()
    const params = /^\d{1,15}$/.test(moment) ? { version: Number(moment) } : /^[0-9a-f]{64}(,[0-9a-f]{64})*$/.test(moment) ? { heads: moment.split(",") } : { time: moment }
    const state = op<unknown>("context_at", { context: this.#context, ...params }, { signal: stop.signal })
      .then(answer => this.#keep(stateOf(moment, answer)))
      .finally(() => this.#asked.get(moment)?.stop === stop && this.#asked.delete(moment))
    this.#asked.set(moment, { state, stop, wanted })
    return state
  }

  /** Keeps a state. Blocks that are as in another state are the same objects, so that nothing is drawn again for them. */
  #keep(state: State): State {
    const last = [...this.#kept.values()].at(-1)
    if (last) {
      const known = new Map(last.blocks.map(b => [b.block.id, b]))
      state = { ...state, blocks: state.blocks.map(b => (alike(known.get(b.block.id), b) ? known.get(b.block.id)! : b)) }
    }
    this.#kept.set(state.moment, state)
    let total = 0
    for (const s of this.#kept.values()) total += s.blocks.length
    for (const [moment, s] of this.#kept) {
      if ((this.#kept.size <= maxStates && total <= maxBlocks) || moment === state.moment) break
      total -= s.blocks.length
      this.#kept.delete(moment)
    }
    return state
  }
}

const fields = ["kind", "role", "status", "parent", "content", "meta", "collapsed", "excluded"] as const

/** Whether a block looked the same. */
export function alike(a: PastBlock | undefined, b: PastBlock): boolean {
  return !!a && a.depth === b.depth && fields.every(f => a.block[f] === b.block[f])
}

/** Which blocks are there or look otherwise in a state than in the one before; those that are gone count too. */
export function touchedBetween(before: State | undefined, after: State): { changed: Set<string>; made: Set<string>; gone: PastBlock[] } {
  const changed = new Set<string>()
  const made = new Set<string>()
  if (!before) return { changed, made, gone: [] }
  const old = new Map(before.blocks.map(b => [b.block.id, b]))
  for (const b of after.blocks) {
    const was = old.get(b.block.id)
    if (!was) made.add(b.block.id)
    else if (was !== b && !alike(was, b)) changed.add(b.block.id)
    old.delete(b.block.id)
  }
  return { changed, made, gone: [...old.values()] }
}

/** Reads what the server answers. */
export function stateOf(moment: string, answer: unknown): State {
  const a = record(answer)
  return {
    moment,
    title: text(a.title),
    version: typeof a.version === "number" ? a.version : 0,
    heads: list(a.heads).filter(h => typeof h === "string"),
    blocks: list(a.block_list).map(record).filter(b => text(b.id) !== "").map(pastBlock),
  }
}

function pastBlock(b: Record<string, unknown>): PastBlock {
  const id = text(b.id)
  const form = text(b.form)
  const block: Block = {
    id,
    kind: text(b.kind) || "text",
    role: text(b.role) || "user",
    status: text(b.status) || "done",
    parent: text(b.parent),
    order: "",
    form: (["text", "body", "chunks"] as string[]).includes(form) ? (form as Form) : "body",
    content: text(b.content),
    meta: text(b.meta),
    deleted: b.deleted === true,
    collapsed: b.collapsed === true,
    excluded: b.excluded === true,
    path: pathOf(id),
    actor: "",
    madeAt: madeAt(id),
  }
  return { block, depth: typeof b.depth === "number" ? Math.max(0, Math.min(b.depth, 512)) : 0, author: text(b.author), via: text(b.via) }
}
