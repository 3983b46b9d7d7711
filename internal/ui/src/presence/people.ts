// Who is at a context and what they do there: what editors tell each other and
// what the server lists, as one. One for each open context, shared by all that
// show it, and told apart: who is where alters seldom, where a caret is often.

import * as A from "@automerge/automerge/slim"
import { colourOf } from "../core/actors"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import { nick } from "../parts"
import { watchAttention } from "./attention"
import { openChannel, type Channel } from "./channel"
import type { Seat } from "./seat"
import { ServerSeats, type ServerSeat } from "./server"
import { toldOf, type At, type Spot } from "./wire"

/** Carets are told at most so often. */
const tellEveryMillis = 50
const typingMillis = 1500
const mergeMillis = 16

/** Somebody's caret. */
export interface Caret {
  readonly key: string
  readonly nick: string
  readonly hue: number
  readonly at: At
}

export class People {
  readonly #model: ContextModel
  readonly #peer: string
  #channel: Channel | null = null
  #server: ServerSeats | null = null
  #stops: (() => void)[] = []
  #uses = 0
  #told = ""
  #own: { block: string; anchor: number; head: number } | null = null
  #typedAt = 0
  #telling: ReturnType<typeof setTimeout> | undefined
  #resting: ReturnType<typeof setTimeout> | undefined
  #merging: ReturnType<typeof setTimeout> | undefined
  #seatsKey = ""
  #byBlock = new Map<string, readonly Seat[]>()
  #carets = new Map<string, readonly Caret[]>()
  readonly #seatFns = new Set<() => void>()
  readonly #caretFns = new Map<string, Set<() => void>>()
  seats: readonly Seat[] = []

  constructor(model: ContextModel, peer: string) {
    this.#model = model
    this.#peer = peer
  }

  /** Takes part for as long as somebody needs it; returns how to stop. */
  use(): () => void {
    if (this.#uses++ === 0) this.#start()
    let used = true
    return () => {
      if (used && --this.#uses === 0) this.#stop()
      used = false
    }
  }

  here(id: string): readonly Seat[] {
    return this.#byBlock.get(id) ?? none
  }

  subscribe(fn: () => void): () => void {
    this.#seatFns.add(fn)
    return () => this.#seatFns.delete(fn)
  }

  /** Others' carets in a block. */
  carets(id: string): readonly Caret[] {
    return this.#carets.get(id) ?? none
  }

  onCarets(id: string, fn: () => void): () => void {
    const fns = this.#caretFns.get(id) ?? new Set()
    this.#caretFns.set(id, fns.add(fn))
    return () => {
      fns.delete(fn)
      if (fns.size === 0 && this.#caretFns.get(id) === fns) this.#caretFns.delete(id)
    }
  }

  /** Says where this page's caret is; `typed` when that is because of what was written. */
  place(block: string, anchor: number, head: number, typed: boolean): void {
    this.#own = { block, anchor, head }
    if (typed) this.#typedAt = Date.now()
    this.#soon()
  }

  /** Says that this page's caret is no longer in a block. */
  leave(block: string): void {
    if (this.#own?.block !== block) return
    this.#own = null
    this.#soon()
  }

  #start(): void {
    const context = this.#model.id
    this.#channel = openChannel(this.#model.handle, { nick: nick.get(), status: "active", at: null }, () => this.#mergeSoon())
    this.#server = context ? new ServerSeats(context, (joined, left) => this.#listed(joined, left)) : null
    const sit = (status?: string) => void op("seat_join", { context, instance: this.#peer, ...(status && { status }) }).catch(() => undefined)
    sit()
    const bye = () => this.#channel?.stop()
    const again = (e: PageTransitionEvent) => e.persisted && (this.#stop(), this.#start())
    window.addEventListener("pagehide", bye)
    window.addEventListener("pageshow", again)
    this.#stops = [
      () => window.removeEventListener("pagehide", bye),
      () => window.removeEventListener("pageshow", again),
      nick.subscribe(() => this.#channel?.tell("nick", nick.get())),
      watchAttention(status => {
        this.#channel?.tell("status", status)
        sit(status === "active" ? undefined : status)
      }),
      () => void op("seat_leave", { context, instance: this.#peer }).catch(() => undefined),
    ]
    this.#merge()
  }

  #stop(): void {
    clearTimeout(this.#telling)
    clearTimeout(this.#resting)
    clearTimeout(this.#merging)
    this.#telling = this.#merging = undefined
    for (const stop of this.#stops.splice(0)) stop()
    this.#channel?.stop()
    this.#server?.close()
    this.#channel = this.#server = null
    this.#told = ""
    this.#own = null
    this.#merge()
  }

  /** Somebody who came after us knows what we said before only if we say it again. */
  #listed(joined: boolean, left: string | null): void {
    if (left) this.#channel?.forget(left)
    if (joined) {
      this.#told = ""
      this.#soon(tellEveryMillis * 10)
    }
    this.#merge()
  }

  #soon(millis = tellEveryMillis): void {
    if (!this.#channel) return
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined
      this.#tell()
    }, millis)
  }

  #tell(): void {
    const typing = Date.now() - this.#typedAt < typingMillis
    const at = this.#own && { block: this.#own.block, anchor: this.#spot(this.#own.anchor), head: this.#spot(this.#own.head), typing }
    const said = JSON.stringify(at)
    if (said !== this.#told) this.#channel?.tell("at", at)
    this.#told = said
    clearTimeout(this.#resting)
    if (typing) this.#resting = setTimeout(() => this.#tell(), typingMillis)
  }

  #spot(pos: number): Spot {
    const path = [...(this.#model.block(this.#own!.block)?.path ?? []), "text"]
    try {
      const doc: any = this.#model.handle.doc()
      return { pos, cursor: A.getCursor(doc, path, pos) }
    } catch {
      return { pos }
    }
  }

  /** What many say within a frame is shown once. */
  #mergeSoon(): void {
    this.#merging ??= setTimeout(() => {
      this.#merging = undefined
      this.#merge()
    }, mergeMillis)
  }

  #merge(): void {
    const states = this.#channel?.states() ?? {}
    const listed = [...(this.#server?.seats.values() ?? [])]
    const found: { seat: Seat; at: At | null }[] = []
    for (const s of listed) {
      const told = Object.hasOwn(states, s.instance) ? toldOf(states[s.instance]) : null
      delete states[s.instance]
      found.push(this.#seat(s.instance + "\n" + s.nick, told?.nick || s.nick, s, told?.status ?? s.status, told?.at ?? s.at, s.instance === this.#peer))
    }
    for (const [peer, state] of Object.entries(states)) {
      const told = toldOf(state)
      found.push(this.#seat(peer, told.nick, null, told.status, told.at, peer === this.#peer))
    }
    this.#show(found)
  }

  #seat(key: string, name: string, listed: ServerSeat | null, status: Seat["status"], at: At | null, own: boolean): { seat: Seat; at: At | null } {
    const there = at && this.#model.block(at.block) ? at : null
    const principal = listed?.principal ?? ""
    const nick = name || principal || "somebody"
    return { at: there, seat: { key, nick, principal, kind: listed?.kind ?? "unknown", hue: colourOf(principal || nick), status, block: there?.block ?? "", typing: there?.typing ?? false, own } }
  }

  #show(found: { seat: Seat; at: At | null }[]): void {
    const others = found.filter(f => !f.seat.own)
    const before = this.#carets
    this.#carets = grouped(others.filter(f => f.at), f => f.at!.block, ({ seat, at }) => ({ key: seat.key, nick: seat.nick, hue: seat.hue, at: at! }))
    for (const [id, fns] of this.#caretFns) {
      if (JSON.stringify(before.get(id)) !== JSON.stringify(this.#carets.get(id))) for (const fn of fns) fn()
    }
    const seats = found.map(f => f.seat)
    const key = JSON.stringify(seats)
    if (key === this.#seatsKey) return
    this.#seatsKey = key
    this.seats = seats
    const rows = grouped(others.map(f => f.seat).filter(s => s.block), s => s.block, s => s)
    for (const [id, list] of rows) if (JSON.stringify(this.#byBlock.get(id)) === JSON.stringify(list)) rows.set(id, this.#byBlock.get(id)!)
    this.#byBlock = rows
    for (const fn of this.#seatFns) fn()
  }
}

const none: readonly never[] = []

function grouped<T, V>(list: T[], by: (item: T) => string, as: (item: T) => V): Map<string, readonly V[]> {
  const groups = new Map<string, V[]>()
  for (const item of list) {
    const group = groups.get(by(item))
    if (group) group.push(as(item))
    else groups.set(by(item), [as(item)])
  }
  return groups
}

const all = new WeakMap<ContextModel, People>()

/** The people at a context; `peer` is the id of this page's repo. */
export function peopleAt(model: ContextModel, peer: string): People {
  let people = all.get(model)
  if (!people) all.set(model, (people = new People(model, peer)))
  return people
}

/** The same, if anybody asked before. */
export const knownPeopleAt = (model: ContextModel): People | undefined => all.get(model)
