// What one person's view of a context remembers beside the document: what is
// selected, which block is being edited, which cards are open. Nothing of it
// is written anywhere. Rows listen to their own block only.

import type { Caret } from "../editor/LiveEditor"
import type { Where } from "./drop"
import { empty, extend, selectAll, single, type Selection } from "./selection"

export interface Editing {
  id: string
  caret: Caret
}

export class ViewState {
  #selection: Selection = empty
  #editing: Editing | null = null
  #open = new Map<string, boolean>()
  #shown = new Map<string, number>() // how much of a long text
  #drop: { id: string; where: Where } | null = null
  #dragged: readonly string[] = []
  #adding: string | null = null // behind which block the composer between blocks is open
  #byBlock = new Map<string, Set<() => void>>()
  #any = new Set<() => void>()
  /** Rows are being moved: an editor that loses the keyboard stays one. */
  moving = false
  /** The order that blocks are in now; of what does not show there is none. */
  order: readonly string[] = []
  #at = new Map<string, number>()

  /** Told when the block that is edited, or that has the keyboard, no longer shows; `next` is the one that stands in its place. */
  onLost: ((id: string, next: string | null, edited: boolean) => void) | undefined

  setOrder(ids: readonly string[]): void {
    const { order, editing } = this
    const held = editing?.id ?? this.#selection.focus
    const was = held === null ? -1 : this.indexOf(held)
    this.#setOrder(ids)
    if (held === null || was < 0 || this.#at.has(held)) return
    const shows = (id: string) => this.#at.has(id)
    this.onLost?.(held, order.slice(was + 1).find(shows) ?? order.slice(0, was).reverse().find(shows) ?? null, editing !== null)
  }

  #setOrder(ids: readonly string[]): void {
    this.order = ids
    this.#at = new Map(ids.map((id, n) => [id, n]))
    const { ids: selected, focus, anchor } = this.#selection
    const still = [...selected].filter(id => this.#at.has(id))
    if (still.length === selected.size && (!focus || this.#at.has(focus))) return
    const to = still.at(-1) ?? null
    this.select(still.length === 0 && focus === null ? empty : { ids: new Set(still), focus: focus && this.#at.has(focus) ? focus : to, anchor: anchor && this.#at.has(anchor) ? anchor : to })
  }

  indexOf(id: string): number {
    return this.#at.get(id) ?? -1
  }

  subscribe(id: string, fn: () => void): () => void {
    const set = this.#byBlock.get(id) ?? new Set()
    this.#byBlock.set(id, set.add(fn))
    return () => {
      set.delete(fn)
      if (set.size === 0 && this.#byBlock.get(id) === set) this.#byBlock.delete(id)
    }
  }

  subscribeAny = (fn: () => void): (() => void) => {
    this.#any.add(fn)
    return () => void this.#any.delete(fn)
  }

  get selection(): Selection {
    return this.#selection
  }

  get editing(): Editing | null {
    return this.#editing
  }

  get adding(): string | null {
    return this.#adding
  }

  select(next: Selection): void {
    const before = this.#selection
    if (before === next) return
    this.#selection = next
    const changed = new Set([...before.ids, ...next.ids].filter(id => before.ids.has(id) !== next.ids.has(id)))
    for (const id of [before.focus, next.focus]) if (id !== null && before.focus !== next.focus) changed.add(id)
    if (changed.size > 0) this.#tell(...changed)
  }

  selectOne(id: string | null): void {
    this.select(id === null ? empty : single(id))
  }

  extendTo(id: string): void {
    this.select(extend(this.#selection, id, this.order))
  }

  all(): void {
    this.select(selectAll(this.order))
  }

  /** The selected blocks, in the order that they show in. */
  selected(): string[] {
    return [...this.#selection.ids].sort((a, b) => this.indexOf(a) - this.indexOf(b))
  }

  edit(editing: Editing | null): void {
    const before = this.#editing
    if (before === editing) return
    this.#editing = editing
    this.#tell(...[before?.id, editing?.id].filter(id => id !== undefined))
  }

  add(behind: string | null): void {
    const before = this.#adding
    if (before === behind) return
    this.#adding = behind
    this.#tell(...[before, behind].filter(id => id !== null))
  }

  /** Where what is dragged would come to lie. */
  get drop(): { id: string; where: Where } | null {
    return this.#drop
  }

  setDrop(drop: { id: string; where: Where } | null): void {
    const before = this.#drop
    if (before?.id === drop?.id && before?.where === drop?.where) return
    this.#drop = drop
    this.#tell(...[before?.id, drop?.id].filter(id => id !== undefined))
  }

  /** The blocks that are being dragged: their rows must not leave the page. */
  get dragged(): readonly string[] {
    return this.#dragged
  }

  drag(ids: readonly string[]): void {
    if (ids.length === 0 && this.#dragged.length === 0) return
    const before = this.#dragged
    this.#dragged = ids
    this.#tell(...before, ...ids)
  }

  /** Whether a card is open: as the reader left it, else as it is by itself. */
  isOpen(id: string, otherwise: boolean): boolean {
    return this.#open.get(id) ?? otherwise
  }

  setOpen(id: string, open: boolean): void {
    this.#open.set(id, open)
    this.#tell(id)
  }

  /** How many characters of a long text the reader asked for. */
  shown(id: string): number {
    return this.#shown.get(id) ?? 0
  }

  show(id: string, chars: number): void {
    this.#shown.set(id, chars)
    this.#tell(id)
  }

  #tell(...ids: string[]): void {
    for (const id of new Set(ids)) for (const fn of [...(this.#byBlock.get(id) ?? [])]) fn()
    for (const fn of [...this.#any]) fn()
  }
}
