// What was read over the last minutes, for small curves: a ring of fixed size,
// so that a page that stays open for days holds no more than one opened now.

export const maxSamples = 60

export class Samples {
  readonly #values: number[] = []

  constructor(readonly most = maxSamples) {}

  get values(): readonly number[] {
    return this.#values
  }

  push(value: number): void {
    if (!Number.isFinite(value)) return
    this.#values.push(value)
    if (this.#values.length > this.most) this.#values.shift()
  }
}

/** Turns a counter into what it grew by each second; a counter that begins again gives nothing once. */
export class Rate {
  #last: { count: number; at: number } | null = null

  /** What it grew by each second since the call before; null when that cannot be said. */
  next(count: number, at: number): number | null {
    const last = this.#last
    this.#last = { count, at }
    if (!last || count < last.count || at <= last.at) return null
    return ((count - last.count) * 1000) / (at - last.at)
  }
}

/** The mean of what happened between two looks at a sum and a count; null when nothing did. */
export class Mean {
  #last: { sum: number; count: number } | null = null

  next(sum: number, count: number): number | null {
    const last = this.#last
    this.#last = { sum, count }
    if (!last || count <= last.count || sum < last.sum) return null
    return (sum - last.sum) / (count - last.count)
  }
}
