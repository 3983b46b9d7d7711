// What a person does to blocks here: each is an edit, what the view does with
// it, and what is said of it.

import * as edits from "../core/edits"
import { toMarkdown } from "../core/markdown"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import type { Caret } from "../editor/LiveEditor"
import { toast } from "../parts"
import { copyText } from "./clipboard"
import { deleterOf } from "./deleter"
import type { Start } from "./kinds"
import { roots } from "./selection"
import { blocksCount, say } from "./words"
import type { ViewState } from "./view-state"
import { ownWork } from "./own-work"
import { may, rightsWords, type Rights } from "./rights"
import { redoOwn, undoAuthor, undoOwn } from "./undo"
import { setFields } from "./write"

/** What actions ask of the view around them. */
export interface Stage {
  /** Brings a block into sight, and the keyboard to it. */
  show(id: string): void
  /** Says something to those who hear the page. */
  announce(text: string): void
  /** Opens the dialog that pushes blocks to another context. */
  push(ids: readonly string[]): void
  /** Opens the history of a block. */
  history(id: string): void
  toEnd(): void
  /** Resolves when the server has what was written here, or is not there. */
  saved(): Promise<void>
}

export class Actions {
  readonly model: ContextModel
  readonly state: ViewState
  readonly stage: Stage
  /** What may be done here; the view says it. */
  rights: Rights = "edit"
  #turning: Promise<void> = Promise.resolve()

  constructor(model: ContextModel, state: ViewState, stage: Stage) {
    this.model = model
    this.state = state
    this.stage = stage
    ownWork(model) // remembers what is done from now on
    state.onLost = (id, next, edited) => this.#lost(id, next, edited)
  }

  /** Whether something may be done, with these blocks or by who may write everything; says why not. */
  #may(ids: readonly string[] | null): boolean {
    const { rights, model } = this
    if (may(rights, ids && ids.map(id => model.block(id)))) return true
    if (rights !== "edit") toast({ text: `${rightsWords[rights]}, and nothing else.`, kind: "warn" })
    return false
  }

  /** The blocks that an action is about: those selected, if the named one is among them, else that one. */
  targets(id?: string): string[] {
    const { ids } = this.state.selection
    return id !== undefined && !ids.has(id) ? [id] : this.state.selected()
  }

  /** Makes an empty block behind another and puts the caret there. */
  addBelow(id: string): string | null {
    const made = this.insertBehind(id, "")
    if (made === null) return null
    this.state.selectOne(made)
    this.state.edit({ id: made, caret: "end" })
    this.stage.show(made)
    return made
  }

  /** Makes a block right behind another: at its level, or on top of what hangs open below it. */
  insertBehind(id: string, text: string, start?: Start): string | null {
    const block = this.model.block(id)
    const line = this.model.rows[this.model.indexOf(id)]
    if (!block || !line) return null
    const inside = line.children > 0 && !line.folded && block.kind === "text"
    return this.#insert(inside ? { parent: id, after: null } : { parent: this.model.parentOf(id), after: id }, text, start)
  }

  addAtEnd(text: string, start?: Start): string | null {
    const made = this.#insert({}, text, start)
    if (made !== null) this.stage.toEnd()
    return made
  }

  duplicate(id: string): void {
    const block = this.model.block(id)
    if (!block || !this.#may([id])) return
    const made = edits.insert(this.model, { parent: this.model.parentOf(id), after: id, kind: block.kind, role: block.role, text: block.content })
    if (made !== null) this.state.selectOne(made)
  }

  #insert(place: { parent?: string; after?: string | null }, text: string, start?: Start): string | null {
    if (!this.#may([])) return null
    const free = this.rights === "edit"
    const made = edits.insert(this.model, { ...place, kind: free ? (start?.kind ?? "text") : "comment", text })
    if (made !== null && free && start?.status) setFields(this.model, [made], { status: start.status })
    return made
  }

  /** Puts the caret into a block. A finished record becomes a text first, which only the server can do. */
  async edit(id: string, caret: Caret = "end"): Promise<void> {
    const block = this.model.block(id)
    if (!block || !this.#may([id])) return
    if (block.form === "chunks") return void toast(block.status === "running" ? "This block is still being written." : "Only finished blocks can be edited.")
    if (block.form === "body") {
      try {
        await op("block_thaw", { context: this.model.id, block_id: id })
      } catch (err) {
        return void toast({ text: `Not editable: ${say(err)}`, kind: "error" })
      }
    }
    this.state.selectOne(id)
    this.state.edit({ id, caret })
  }

  /** Takes the caret out of the text; the block stays selected. */
  leave(): void {
    const id = this.state.editing?.id
    this.state.edit(null)
    if (id) this.stage.show(id)
  }

  split(id: string, at: number): void {
    if (!this.#may([id])) return
    const made = edits.split(this.model, id, at)
    if (made === null) return
    this.state.selectOne(made)
    this.state.edit({ id: made, caret: "start" })
  }

  /** Takes a block into the one above; true if that was possible. */
  merge(id: string): boolean {
    const above = this.model.rows[this.model.indexOf(id) - 1]
    if (!this.#may([id, ...(above ? [above.id] : []), ...this.model.children(id)])) return false
    const done = edits.merge(this.model, id)
    if (!done) return false
    this.state.selectOne(done.into)
    this.state.edit({ id: done.into, caret: done.at })
    return true
  }

  toggle(flag: "collapsed" | "excluded", ids: readonly string[]): void {
    if (ids.length === 0 || !this.#may(null)) return
    const on = !ids.every(id => this.model.block(id)?.[flag])
    if (!edits.setFlag(this.model, ids, flag, on)) return
    const what = blocksCount(ids.length)
    this.stage.announce(flag === "collapsed" ? `${what} ${on ? "folded" : "unfolded"}` : `${what} ${on ? "not sent to models" : "sent to models"}`)
  }

  remove(ids: readonly string[]): void {
    const tops = roots(ids, id => this.model.parentOf(id))
    if (tops.length === 0 || !this.#may(tops)) return
    const last = Math.max(...ids.map(id => this.state.indexOf(id)))
    const order = this.state.order
    if (!edits.setFlag(this.model, tops, "deleted", true)) return
    // What hangs below goes too: the keyboard goes to the next one that still shows.
    const shows = (id: string) => this.model.indexOf(id) >= 0
    const next = order.slice(last + 1).find(shows) ?? order.slice(0, last).reverse().find(shows) ?? null
    this.state.edit(null)
    this.state.selectOne(next)
    if (next) this.stage.show(next)
    toast({ text: `Deleted ${blocksCount(tops.length)}`, action: { label: "Undo", run: () => this.restore(tops) } })
  }

  restore(ids: readonly string[]): void {
    if (!this.#may(ids) || !edits.setFlag(this.model, ids, "deleted", false)) return
    this.stage.announce(`Restored ${blocksCount(ids.length)}`)
    const first = ids[0]
    if (first) this.state.selectOne(first)
    if (first) this.stage.show(first)
  }

  /** The block that the keyboard was in no longer shows: it goes to another, and who was writing is told why. */
  #lost(id: string, next: string | null, edited: boolean): void {
    const deleted = this.model.block(id)?.deleted ?? true
    let to: string | null = next
    if (!deleted) for (to = id; to !== "" && this.state.indexOf(to) < 0; ) to = this.model.parentOf(to)
    if (edited) this.state.edit(null)
    this.state.selectOne(to || null)
    if (to && document.activeElement === document.body) this.stage.show(to)
    if (edited && deleted) void this.#tellLost(id)
  }

  async #tellLost(id: string): Promise<void> {
    const by = await deleterOf(this.model, id)
    if (by !== null) toast({ text: `${by} deleted the block that you were in`, kind: "warn", action: { label: "Bring back", run: () => this.restore([id]) } })
  }

  indent(ids: readonly string[], by: 1 | -1): boolean {
    const tops = roots(ids, id => this.model.parentOf(id))
    const done = this.#steadily(() => (by > 0 ? edits.indent(this.model, tops) : edits.outdent(this.model, tops)))
    if (done) this.stage.announce(`${blocksCount(tops.length)} ${by > 0 ? "indented" : "outdented"}`)
    return done
  }

  moveBy(ids: readonly string[], by: 1 | -1): boolean {
    const tops = roots(ids, id => this.model.parentOf(id))
    const done = this.#steadily(() => edits.moveBy(this.model, tops, by))
    if (done) this.stage.announce(`Moved ${by > 0 ? "down" : "up"}`)
    return done
  }

  move(ids: readonly string[], to: { parent: string; after: string | null }): boolean {
    const done = this.#steadily(() => edits.move(this.model, roots(ids, id => this.model.parentOf(id)), to))
    if (done) this.stage.announce(`Moved ${blocksCount(ids.length)}`)
    return done
  }

  /** Moves rows without taking the keyboard from them: a row that moves in the page loses it. */
  #steadily(move: () => boolean): boolean {
    if (!this.#may(null)) return false
    this.state.moving = true
    const done = move()
    requestAnimationFrame(() => {
      this.state.moving = false
      const id = this.state.editing?.id ?? this.state.selection.focus
      if (done && id) this.stage.show(id)
    })
    return done
  }

  turn(ids: readonly string[], kind: string): void {
    if (this.#may(null)) setFields(this.model, ids, kind === "task" ? { kind, status: "pending" } : { kind, status: "done" })
  }

  tick(id: string, done: boolean): void {
    if (this.#may(null)) setFields(this.model, [id], { status: done ? "done" : "pending" })
  }

  /** Takes back what this person did last, each time one piece more. */
  undo(): Promise<void> {
    return this.#turn(undoOwn)
  }

  /** Brings back what was taken back last. */
  redo(): Promise<void> {
    return this.#turn(redoOwn)
  }

  /** One after the other, however fast the keys come; the keyboard goes where it was done. */
  #turn(turn: typeof undoOwn): Promise<void> {
    if (!this.#may([])) return this.#turning
    return (this.#turning = this.#turning.then(async () => {
      const { order } = this.state
      const editing = this.state.editing?.id
      const [first, ...others] = await turn(this.model, this.stage)
      if (first === undefined) return
      const shows = (id: string) => this.model.indexOf(id) >= 0
      const at = order.indexOf(first)
      const to = [first, ...others].find(shows) ?? order.slice(0, Math.max(0, at)).reverse().find(shows) ?? order.find(shows)
      if (to === undefined) return this.state.edit(null)
      // An editor that stays keeps its caret.
      if (editing === to) return void requestAnimationFrame(() => document.activeElement === document.body && this.stage.show(to))
      this.state.selectOne(to)
      this.state.edit(editing !== undefined && this.model.block(to)?.form === "text" ? { id: to, caret: "end" } : null)
      this.stage.show(to)
    }))
  }

  /** Takes back what somebody did last in a block, or anywhere in the context. */
  async undoOf(author: string, own: boolean, id?: string): Promise<void> {
    if (!this.#may(id === undefined ? (own ? [] : null) : [id])) return
    return own && id === undefined ? this.undo() : undoAuthor(this.model, this.stage, author, own, id)
  }

  /** Folds everything that has something below it, or unfolds it. */
  foldAll(on: boolean): void {
    const { model } = this
    if (this.#may(null)) edits.setFlag(model, model.everything().filter(b => b.collapsed !== on && model.children(b.id).length > 0).map(b => b.id), "collapsed", on)
  }

  async copyLink(id: string): Promise<void> {
    const link = `${location.origin}${location.pathname}#${this.model.url}/${id}`
    toast((await copyText(link)) ? "Link copied" : { text: "The browser does not allow copying.", kind: "error" })
  }

  async copyMarkdown(ids: readonly string[]): Promise<void> {
    const text = toMarkdown(ids.flatMap(id => this.model.block(id) ?? []))
    toast((await copyText(text)) ? `Copied ${blocksCount(ids.length)} as Markdown` : { text: "The browser does not allow copying.", kind: "error" })
  }

  async copyAll(): Promise<void> {
    const { title } = this.model
    const text = (title ? `# ${title}\n\n` : "") + toMarkdown(this.model.everything())
    toast((await copyText(text)) ? "Copied the context as Markdown" : { text: "The browser does not allow copying.", kind: "error" })
  }
}
