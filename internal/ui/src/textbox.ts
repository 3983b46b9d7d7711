// Keeps a text box and a Text in a document in step: what is typed goes into
// the document as one splice, what others write comes into the box, and the
// caret stays where it was in the words around it.

import * as A from "@automerge/automerge/slim"
import type { DocHandle } from "@automerge/automerge-repo/slim"
import { apply, boxed, cross, diff, inPieces, shift, unboxed, type Splice } from "./diff"

type Box = HTMLTextAreaElement | HTMLInputElement

/** A text box bound to a Text. Single-threaded, as the page is. */
export class TextBox {
  readonly #box: Box
  readonly #handle: DocHandle<any>
  readonly #path: string[]
  #shown: string // the document's text as the box last showed it
  #theirs: Splice[] = [] // what others did to it since, while an input method holds the box
  #composing = false
  #writing = false

  constructor(box: Box, handle: DocHandle<any>, path: string[], text: string) {
    this.#box = box
    this.#handle = handle
    this.#path = path
    this.#shown = text
    box.value = text
    box.addEventListener("input", () => this.#typed())
    box.addEventListener("compositionstart", () => (this.#composing = true))
    box.addEventListener("compositionend", () => {
      this.#composing = false
      this.#typed()
      this.#show(this.#text())
    })
  }

  /** Called with every change of the document; `splices` are what happened to this text, in order. */
  update(text: string, splices: Splice[]): void {
    if (this.#writing) return // caught up with when the typing is done
    if (this.#composing) this.#theirs.push(...splices)
    else this.#show(text, splices)
  }

  #text(): string {
    let value = this.#handle.doc()
    for (const key of this.#path) value = value?.[key]
    return typeof value === "string" ? value : ""
  }

  #typed(): void {
    const typed = diff(boxed(this.#shown), this.#box.value, this.#box.selectionEnd ?? undefined)
    if (!typed) return
    const start = unboxed(this.#shown, typed.at)
    const own: Splice = { at: start, del: unboxed(this.#shown, typed.at + typed.del) - start, ins: typed.ins }
    const before = this.#shown
    const now = this.#text()
    // What arrived while an input method held the box: as it came, else as one splice.
    const arrived = this.#theirs.reduce(apply, before) === now ? this.#theirs : missing(before, now)
    const { mine, theirs } = cross(own, arrived)
    this.#writing = true
    try {
      spliceText(this.#handle, this.#path, now, mine)
    } finally {
      this.#writing = false
    }
    const after = this.#text()
    if (now === before) {
      this.#shown = after
      this.#theirs = []
      if (!this.#composing && boxed(after) !== this.#box.value) this.#show(after)
    } else {
      // Others' words are in the document and not yet in the box, which the input method still owns.
      this.#shown = apply(before, own)
      this.#theirs = theirs.reduce(apply, this.#shown) === after ? theirs : missing(this.#shown, after)
      if (!this.#composing) this.#show(after)
    }
  }

  #show(text: string, splices?: Splice[]): void {
    this.#shown = text
    this.#theirs = []
    const value = boxed(text)
    const box = this.#box
    if (box.value === value) return
    const known = splices && value === text && splices.reduce(apply, box.value) === value
    const steps = known ? splices : [diff(box.value, value)!]
    const { selectionDirection, scrollTop } = box
    let start = box.selectionStart ?? 0
    let end = box.selectionEnd ?? 0
    for (const s of steps) {
      start = shift(start, s)
      end = shift(end, s)
    }
    box.value = value
    if (document.activeElement === box) box.setSelectionRange(start, end, selectionDirection ?? "none")
    box.scrollTop = scrollTop
    box.dispatchEvent(new Event("shown"))
  }
}

/** The one splice that turns a text into another, if they differ. */
function missing(from: string, to: string): Splice[] {
  const s = diff(from, to)
  return s ? [s] : []
}

/** The most units that one change of a text touches; the server refuses changes of too many operations. */
export const maxPiece = 50_000

/** Splices the Text at `path`, which holds `text`. */
export function spliceText(handle: DocHandle<any>, path: string[], text: string, s: Splice): void {
  for (const piece of inPieces(text, s, maxPiece)) {
    handle.change((doc: any) => A.splice(doc, [...path], piece.at, piece.del, piece.ins))
  }
}

/** The splices that a change made to the Text at `path`; null when the Text as a whole was replaced. */
export function splicesAt(patches: A.Patch[], path: string[]): Splice[] | null {
  const splices: Splice[] = []
  for (const patch of patches) {
    if (patch.path.length < path.length || !path.every((key, i) => patch.path[i] === key)) continue
    if (patch.path.length === path.length) {
      if (patch.action === "put" || patch.action === "del") return null
      continue // marks
    }
    const at = Number(patch.path[path.length])
    if (patch.action === "splice") splices.push({ at, del: 0, ins: patch.value })
    else if (patch.action === "del") splices.push({ at, del: patch.length ?? 1, ins: "" })
  }
  return splices
}
