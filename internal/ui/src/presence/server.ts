// The seats at a context, as the server lists them: editors, and the agents and
// programs that are no editors of the document.

import { follow, type ServerEvent } from "../core/events"
import { op } from "../core/ops"
import type { Seat, Status } from "./seat"
import { cleanNick, setOf, statusOf, type At } from "./wire"

const maxSeats = 500
const maxKeyChars = 300
/** For so long what somebody does counts. */
const presenceMillis = 35_000
const kinds = ["person", "agent", "service"] as const

export interface ServerSeat {
  readonly nick: string
  readonly instance: string
  readonly principal: string
  readonly kind: Seat["kind"]
  readonly status: Status
  readonly at: At | null
}

export class ServerSeats {
  readonly #context: string
  readonly #onChange: (joined: boolean, left: string | null) => void
  readonly #stop: () => void
  readonly #asking = new AbortController()
  readonly #lapses = new Map<string, ReturnType<typeof setTimeout>>()
  seats: ReadonlyMap<string, ServerSeat> = new Map()

  /** Follows the seats of a context; `onChange` is told of each change, whether somebody joined, and which instance left. */
  constructor(context: string, onChange: (joined: boolean, left: string | null) => void) {
    this.#context = context
    this.#onChange = onChange
    this.#stop = follow(`ctx.${context}.seat.>`, e => this.#heard(e), { onReset: () => void this.#list() })
    void this.#list()
  }

  close(): void {
    this.#stop()
    this.#asking.abort()
    for (const lapse of this.#lapses.values()) clearTimeout(lapse)
  }

  async #list(): Promise<void> {
    try {
      const { seats } = await op<{ seats?: unknown }>("seat_list", { context: this.#context }, { signal: this.#asking.signal })
      const before = this.seats
      const list = (Array.isArray(seats) ? seats : []).slice(0, maxSeats).map(row => seatOf(row, row))
      this.seats = new Map(list.map(s => [keyOf(s), { ...s, at: before.get(keyOf(s))?.at ?? null }]))
      this.#onChange(true, null)
    } catch {
      // Offline, or not allowed: others show as far as they say themselves that they are there.
    }
  }

  #heard({ type, data: event }: ServerEvent): void {
    const data = (typeof event.data === "object" && event.data !== null ? event.data : event) as Record<string, unknown>
    const by = (typeof event.principal === "object" && event.principal !== null ? event.principal : {}) as Record<string, unknown>
    const seat = seatOf(data, { principal: by.name, kind: by.kind })
    const key = keyOf(seat)
    const known = this.seats.get(key)
    if (!known && this.seats.size >= maxSeats) return
    clearTimeout(this.#lapses.get(key))
    this.#lapses.delete(key)
    if (type.endsWith("seat.left")) return this.#put(key, null, false, seat.instance)
    if (!type.endsWith("seat.presence")) return this.#put(key, { ...seat, at: known?.at ?? null }, !known, null)
    this.#lapses.set(key, setTimeout(() => this.#rest(key), presenceMillis))
    this.#put(key, { ...seat, status: known?.status ?? "active", at: setOf(data.state) }, !known, null)
  }

  #rest(key: string): void {
    const seat = this.seats.get(key)
    if (seat) this.#put(key, { ...seat, at: null }, false, null)
  }

  #put(key: string, seat: ServerSeat | null, joined: boolean, left: string | null): void {
    const seats = new Map(this.seats)
    if (seat) seats.set(key, seat)
    else seats.delete(key)
    this.seats = seats
    this.#onChange(joined, left)
  }
}

const keyOf = (s: ServerSeat) => `${s.instance}\n${s.nick}`

function seatOf(row: unknown, by: unknown): ServerSeat {
  const { nick, instance, status } = (row ?? {}) as Record<string, unknown>
  const { principal, kind } = (by ?? {}) as Record<string, unknown>
  return {
    nick: cleanNick(nick),
    instance: typeof instance === "string" ? instance.slice(0, maxKeyChars) : "",
    principal: cleanNick(principal),
    kind: kinds.find(k => k === kind) ?? "unknown",
    status: statusOf(status),
    at: null,
  }
}
