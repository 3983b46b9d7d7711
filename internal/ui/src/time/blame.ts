// Who wrote which part of the blocks in sight. The server knows; what it says
// is kept for as long as the text is the same, and moved along while somebody
// types until it is asked again.

import { diff } from "../core/diff"
import { op } from "../core/ops"
import type { ContextModel } from "../core/model"
import { list, record, text } from "./points"

/** A stretch of a text by one author, in UTF-16 units; author "" is not known yet. */
export interface BlameSpan {
  from: number
  to: number
  author: string
  via: string
  time: number
}

/** What was learnt of a block, and of which text. */
interface Known {
  content: string
  spans: readonly BlameSpan[]
  stale: boolean
}

const atOnce = 4
const settleMillis = 700
/** Runs of one author that lie no further apart in time are one stretch. */
const togetherMillis = 60_000
const maxSpans = 4000
const maxBlocks = 400

/** Reads the runs of block_blame; null when they are not those of a text. */
export function spansOf(answer: unknown): { content: string; spans: BlameSpan[] } | null {
  const spans: BlameSpan[] = []
  let content = ""
  for (const run of list(record(answer).runs).map(record)) {
    if (typeof run.text !== "string") return null
    const author = text(run.author)
    const via = text(run.via)
    const time = Date.parse(text(run.time)) || 0
    const from = content.length
    content += run.text
    const last = spans.at(-1)
    const same = last && last.author === author && last.via === via
    if (same && (Math.abs(last.time - time) <= togetherMillis || spans.length >= maxSpans)) {
      last.to = content.length
      last.time = Math.max(last.time, time)
    } else if (spans.length < maxSpans || !last) spans.push({ from, to: content.length, author, via, time })
    else last.to = content.length
  }
  return { content, spans }
}

/** Spans of one text as those of another: what was put in is nobody's yet. */
export function moved(spans: readonly BlameSpan[], before: string, after: string): BlameSpan[] {
  const s = diff(before, after)
  if (!s) return [...spans]
  const shift = s.ins.length - s.del
  const out: BlameSpan[] = []
  let put = s.ins === ""
  const fresh = () => {
    if (!put) out.push({ from: s.at, to: s.at + s.ins.length, author: "", via: "", time: 0 })
    put = true
  }
  for (const span of spans) {
    if (span.from < s.at) out.push({ ...span, to: Math.min(span.to, s.at) })
    if (span.to > s.at) fresh()
    const from = Math.max(span.from, s.at + s.del)
    if (from < span.to && span.to > s.at) out.push({ ...span, from: from + shift, to: span.to + shift })
  }
  fresh()
  return out.filter(span => span.to > span.from)
}

/** What is known of the blocks of a context. */
export class BlameBook {
  readonly #model: ContextModel
  readonly #known = new Map<string, Known>() // the last used is last
  readonly #queue = new Set<string>()
  readonly #timers = new Map<string, ReturnType<typeof setTimeout>>()
  readonly #listeners = new Map<string, Set<() => void>>()
  readonly #anyListeners = new Set<() => void>()
  readonly #stop = new AbortController()
  #running = 0
  /** Counts up when something is learnt. */
  version = 0

  constructor(model: ContextModel) {
    this.#model = model
  }

  /** The spans of a block's text as it is now; null while nothing is known. */
  spans(id: string): readonly BlameSpan[] | null {
    const known = this.#known.get(id)
    const content = this.#model.block(id)?.content
    if (!known || content === undefined) return null
    if (known.content !== content) {
      this.#known.set(id, { content, spans: moved(known.spans, known.content, content), stale: true })
      this.#later(id)
    }
    return this.#known.get(id)!.spans
  }

  /** Follows a block that is in sight. */
  watch(id: string, fn: () => void): () => void {
    const set = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, set.add(fn))
    const stop = this.#model.subscribe({ block: id }, fn)
    const known = this.#known.get(id)
    if (!known || known.stale || known.content !== this.#model.block(id)?.content) this.#ask(id)
    return () => {
      stop()
      set.delete(fn)
      if (set.size > 0) return
      this.#listeners.delete(id)
      this.#queue.delete(id) // it went out of sight before its turn came
    }
  }

  /** Told when anything is learnt. */
  subscribe(fn: () => void): () => void {
    this.#anyListeners.add(fn)
    return () => this.#anyListeners.delete(fn)
  }

  /** How many characters each author has in what is known, the most first. */
  shares(): { author: string; chars: number }[] {
    const sums = new Map<string, number>()
    for (const { spans } of this.#known.values()) for (const s of spans) if (s.author) sums.set(s.author, (sums.get(s.author) ?? 0) + s.to - s.from)
    return [...sums].map(([author, chars]) => ({ author, chars })).sort((a, b) => b.chars - a.chars)
  }

  close(): void {
    this.#stop.abort()
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#queue.clear()
  }

  #later(id: string): void {
    clearTimeout(this.#timers.get(id))
    this.#timers.set(id, setTimeout(() => (this.#timers.delete(id), this.#listeners.has(id) && this.#ask(id)), settleMillis))
  }

  #ask(id: string): void {
    this.#queue.add(id)
    while (this.#running < atOnce && this.#queue.size > 0 && !this.#stop.signal.aborted) {
      const next = this.#queue.values().next().value!
      this.#queue.delete(next)
      this.#running++
      void this.#fetch(next).finally(() => {
        this.#running--
        for (const waiting of this.#queue) return this.#ask(waiting)
      })
    }
  }

  async #fetch(id: string): Promise<void> {
    const { signal } = this.#stop
    try {
      const got = spansOf(await op<unknown>("block_blame", { context: this.#model.id, block_id: id }, { signal }))
      if (!got || signal.aborted) return
      this.#known.delete(id)
      this.#known.set(id, { ...got, stale: false })
      for (const old of this.#known.keys()) {
        if (this.#known.size <= maxBlocks) break
        if (!this.#listeners.has(old)) this.#known.delete(old)
        else break
      }
      this.version++
      for (const fn of this.#listeners.get(id) ?? []) fn()
      for (const fn of this.#anyListeners) fn()
    } catch {
      // Offline, or the block is not on the server yet: it stays without colours.
    }
  }
}

const ages = [1, 24, 24 * 7, 24 * 30, 24 * 365]

/** How old something is, from 0 for this hour to 5 for more than a year. */
export function ageOf(time: number, now = Date.now()): number {
  const at = ages.findIndex(hours => (now - time) / 3_600_000 < hours)
  return at < 0 ? ages.length : at
}
