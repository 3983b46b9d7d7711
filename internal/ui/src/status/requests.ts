// What waits for somebody's answer, for the whole page: questions, and drifts
// of other kernels. Kept up by events; asked again now and then, because a
// question whose time is over tells of it only once.

import { follow } from "../core/events"
import { op } from "../core/ops"
import { heldFrom, questionsFrom, type Held, type Question } from "./answers"
import { notifyOf } from "./notify"

export interface Requests {
  questions: readonly Question[]
  held: readonly Held[]
  /** Why the list is not there, or old; null where all is well. */
  error: Error | null
  /** The server has answered. */
  known: boolean
}

/** Asked anew this often, in milliseconds, for what no event tells. */
const everyMillis = 30_000
/** What comes within this time is asked for once. */
const gatherMillis = 150

const nothing: Requests = { questions: [], held: [], error: null, known: false }

class Waiting {
  #now = nothing
  #listeners = new Set<() => void>()
  #stops: (() => void)[] = []
  #soon: ReturnType<typeof setTimeout> | undefined
  #asking = 0

  get = (): Requests => this.#now

  subscribe = (fn: () => void): (() => void) => {
    this.#listeners.add(fn)
    if (this.#listeners.size === 1) this.#start()
    return () => {
      this.#listeners.delete(fn)
      if (this.#listeners.size === 0) this.#stop()
    }
  }

  /** Asks anew, in a moment. */
  refresh = (): void => {
    clearTimeout(this.#soon)
    this.#soon = setTimeout(() => void this.#ask(), gatherMillis)
  }

  #start(): void {
    const timer = setInterval(this.refresh, everyMillis)
    const shown = () => !document.hidden && this.refresh()
    document.addEventListener("visibilitychange", shown)
    this.#stops = [
      follow("ctx.*.elicitation.>", this.refresh, { onReset: this.refresh }),
      follow("ctx.*.drift.>", this.refresh),
      () => clearInterval(timer),
      () => document.removeEventListener("visibilitychange", shown),
    ]
    void this.#ask()
  }

  #stop(): void {
    for (const stop of this.#stops.splice(0)) stop()
    clearTimeout(this.#soon)
  }

  async #ask(): Promise<void> {
    const mine = ++this.#asking
    const [asked, queued] = await Promise.allSettled([op<unknown>("elicit_list", {}), op<unknown>("drift_queue", { state: "held" })])
    if (mine !== this.#asking) return
    const before = this.#now
    const questions = asked.status === "fulfilled" ? questionsFrom(asked.value) : before.questions
    // Who may not ask for the queue has no part in it.
    const held = queued.status === "fulfilled" ? heldFrom(queued.value) : before.held
    this.#now = { questions, held, error: asked.status === "rejected" ? (asked.reason as Error) : null, known: before.known || asked.status === "fulfilled" }
    if (before.known) {
      const had = new Set(before.questions.map(q => q.block))
      for (const q of questions) if (!had.has(q.block)) notifyOf(q)
    }
    for (const fn of this.#listeners) fn()
  }
}

export const requests = new Waiting()
