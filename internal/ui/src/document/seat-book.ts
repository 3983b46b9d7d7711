// Who is at which block: rows listen to their own block only.

import type { Seat } from "../presence/seat"
import type { SeatsAt } from "./doc-context"

const nobody: readonly Seat[] = []

export class SeatBook implements SeatsAt {
  #at = new Map<string, readonly Seat[]>()
  #listeners = new Map<string, Set<() => void>>()

  at(id: string): readonly Seat[] {
    return this.#at.get(id) ?? nobody
  }

  subscribe(id: string, fn: () => void): () => void {
    const set = this.#listeners.get(id) ?? new Set()
    this.#listeners.set(id, set.add(fn))
    return () => {
      set.delete(fn)
      if (set.size === 0 && this.#listeners.get(id) === set) this.#listeners.delete(id)
    }
  }

  /** Takes in where everybody is now, and tells the blocks for which that is news. */
  take(seats: readonly Seat[]): void {
    const before = this.#at
    const now = new Map<string, Seat[]>()
    for (const seat of seats) if (seat.block) now.set(seat.block, [...(now.get(seat.block) ?? []), seat])
    this.#at = now
    for (const id of new Set([...before.keys(), ...now.keys()])) {
      const [a, b] = [before.get(id) ?? nobody, now.get(id) ?? nobody]
      if (a.length === b.length && a.every((seat, n) => seat === b[n])) now.set(id, a as Seat[])
      else for (const fn of [...(this.#listeners.get(id) ?? [])]) fn()
      if (now.get(id)?.length === 0) now.delete(id)
    }
  }
}
