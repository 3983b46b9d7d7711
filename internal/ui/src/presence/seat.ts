// Somebody who is at a context, and what they are doing there.

export type Status = "active" | "idle" | "away"

/** Where somebody's caret is, in UTF-16 units of the block's text; `anchor` is the other end of what is selected. */
export interface Place {
  readonly block: string
  readonly anchor: number
  readonly head: number
}

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
  readonly place: Place | null
  readonly typing: boolean
  /** This page. */
  readonly own: boolean
}
