// Somebody who is at a context, and what they are doing there.

export type Status = "active" | "idle" | "away"

export interface Seat {
  /** Tells seats apart; for editors the peer's id. */
  readonly key: string
  readonly nick: string
  /** Whom the server knows them as; "" when it did not say. */
  readonly principal: string
  readonly kind: "person" | "agent" | "service" | "unknown"
  /** 0 to 11. */
  readonly hue: number
  readonly status: Status
  /** The block they are in; "" when in none. */
  readonly block: string
  readonly typing: boolean
  /** This page. */
  readonly own: boolean
}
