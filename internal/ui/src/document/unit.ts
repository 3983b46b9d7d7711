// A piece of one's own work: what some changes made here did to blocks, texts
// and fields, with what was there before them, so that it can be taken back and
// brought back without asking anybody.

import * as A from "@automerge/automerge/slim"
import { diff, inPieces } from "../core/diff"
import type { ContextModel } from "../core/model"
import type { ContextDoc, RawBlock } from "../core/schema"
import { maxPiece } from "../core/text"
import { changedSince, revert, same, setField, valueAt } from "./revert"

interface TextWork {
  path: A.Prop[]
  before: string
  after: string
}

interface FieldWork {
  path: A.Prop[]
  key: string
  before: unknown
  after: unknown
}

/** The most changes that an undo names: what its message has room for. */
const maxNamed = 900

/** What patches are about, in words that can be compared: the one text that they edit, or "". */
export function textOf(patches: readonly A.Patch[]): string {
  let one: string | undefined
  for (const { path } of patches) {
    const key = isText(path) ? path.slice(0, -1).join("/") : ""
    if (key === "" || (one !== undefined && one !== key)) return ""
    one = key
  }
  return one ?? ""
}

/** Whether a path is that of characters in the text of a block, or in the title. */
const isText = (path: readonly A.Prop[]) => (path.length === 5 && path[0] === "pages" && path[3] === "text") || (path.length === 2 && path[0] === "title")

export class Unit {
  /** When its last change was made, in milliseconds. */
  at = 0
  /** How many changes it is made of. */
  changes = 0
  readonly #made = new Map<string, { path: A.Prop[]; content: string }>()
  readonly #texts = new Map<string, TextWork>()
  readonly #fields = new Map<string, FieldWork>()
  #last: string[] = [] // the changes to name when it is turned: its own, then those that turned it last

  /** Takes in a change that was just made. */
  note(patches: readonly A.Patch[], before: unknown, doc: unknown, hash: string, at: number): void {
    this.at = at
    this.changes++
    this.#last.push(hash)
    for (const { path, action } of patches) {
      if (path.length === 3 && path[0] === "pages" && action === "put") this.#made.set(path.join("/"), { path: [...path], content: "" })
      else if (isText(path)) this.#noteText(path.slice(0, -1), before)
      else if (path.length === 4 && path[0] === "pages" && (action === "put" || action === "del") && path[3] !== "text" && path[3] !== "chunks") this.#noteField(path, before)
    }
    for (const made of this.#made.values()) made.content = String(valueAt(doc, [...made.path, "text"]) ?? "")
    for (const text of this.#texts.values()) text.after = String(valueAt(doc, text.path) ?? "")
    for (const field of this.#fields.values()) field.after = valueAt(doc, [...field.path, field.key])
  }

  #noteText(path: A.Prop[], before: unknown): void {
    const key = path.join("/")
    const was = valueAt(before, path)
    if (this.#texts.has(key) || this.#made.has(path.slice(0, 3).join("/")) || typeof was !== "string") return
    this.#texts.set(key, { path, before: was, after: was })
  }

  #noteField(path: A.Prop[], before: unknown): void {
    const key = path.join("/")
    const block = path.slice(0, 3)
    if (this.#fields.has(key) || this.#made.has(block.join("/"))) return
    this.#fields.set(key, { path: block, key: String(path[3]), before: valueAt(before, path), after: undefined })
  }

  /** Whether it changed nothing, as typing that was deleted again. */
  get empty(): boolean {
    return this.#made.size === 0 && [...this.#texts.values()].every(t => t.before === t.after) && [...this.#fields.values()].every(f => same(f.before, f.after))
  }

  /** How many characters it remembers. */
  get size(): number {
    let n = 0
    for (const t of this.#texts.values()) n += t.before.length + t.after.length
    for (const m of this.#made.values()) n += m.content.length
    return n
  }

  /** The blocks that it is about. */
  get blocks(): string[] {
    return [...new Set([...this.#made.values(), ...this.#texts.values(), ...this.#fields.values()].flatMap(w => (w.path.length > 1 ? [String(w.path[2])] : [])))]
  }

  /** What it was, in a word or two. */
  get what(): string {
    if (this.#made.size > 0) return this.#made.size === 1 ? "new block" : "new blocks"
    const keys = new Set([...this.#fields.values()].map(f => f.key))
    if (keys.has("deleted")) return "deleting"
    if (keys.has("order") || keys.has("parent")) return "moving"
    if (keys.has("collapsed")) return "folding"
    if (this.#texts.has("title")) return "the title"
    return this.#texts.size > 0 ? "typing" : "a change"
  }

  /**
   * Takes it back, or brings it back, as far as it still shows; false when
   * nothing of it does. What others wrote stays, also inside the same text.
   */
  turn(model: ContextModel, back: boolean): boolean {
    const heads = model.heads()
    const message = `op:undo ${this.#last.slice(-maxNamed).join(" ")}`
    const doc = model.handle.doc()
    const apart = [...this.#texts.values()].some(t => valueAt(doc, t.path) !== (back ? t.after : t.before))
    if (apart) revert(model, [...this.#last].reverse(), message)
    else this.#turn(model, back, message)
    const turned = changedSince(model, heads).reverse()
    if (turned.length > 0) this.#last = turned
    return turned.length > 0
  }

  #turn(model: ContextModel, back: boolean, message: string): void {
    const doc = model.handle.doc()
    const fields = [...this.#fields.values()].flatMap(f => {
      const [from, to] = back ? [f.after, f.before] : [f.before, f.after]
      const now = valueAt(doc, [...f.path, f.key])
      return valueAt(doc, f.path) && sameField(now, from) && !sameField(now, to) ? [{ ...f, to }] : []
    })
    const made = [...this.#made.values()].filter(m => this.#turnable(model, m, back))
    const splices = [...this.#texts.values()].flatMap(t => {
      const splice = back ? diff(t.after, t.before) : diff(t.before, t.after)
      return splice ? [...inPieces(back ? t.after : t.before, splice, maxPiece)].map(s => ({ path: t.path, ...s })) : []
    })
    const small = splices.reduce((n, s) => n + s.del + s.ins.length, 0) <= maxPiece
    if (fields.length + made.length + (small ? splices.length : 0) > 0) {
      model.handle.change(
        d => {
          for (const f of fields) setField(valueAt(d, f.path) as Record<string, unknown>, f.key, f.to)
          for (const m of made) (valueAt(d, m.path) as RawBlock).deleted = back
          if (small) for (const s of splices) A.splice(d, s.path, s.at, s.del, s.ins)
        },
        { message },
      )
    }
    if (!small) for (const s of splices) model.handle.change((d: ContextDoc) => A.splice(d, s.path, s.at, s.del, s.ins), { message })
  }

  /** A block that was made goes unless others have written in it, or hung something below it. */
  #turnable(model: ContextModel, { path, content }: { path: A.Prop[]; content: string }, back: boolean): boolean {
    const id = String(path[2])
    const block = model.block(id)
    if (!block || block.deleted === back) return false
    return !back || (block.content === content && model.children(id).every(child => this.#made.has(["pages", model.block(child)?.path[1], child].join("/"))))
  }
}

/** Like `same`, but what is not there says the same as what says nothing. */
const sameField = (a: unknown, b: unknown): boolean => same(a, b) || (nothing(a) && nothing(b))
const nothing = (v: unknown) => v === undefined || v === null || v === false || String(v) === ""
