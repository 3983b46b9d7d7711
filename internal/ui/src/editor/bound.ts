// What stands between a document and the binding of @automerge/automerge-codemirror:
// the document's handle as the binding sees it. The binding by itself
//
//   - compares the whole document for each change that it did not see the one
//     before of, and updates the view for changes of other texts too: here it is
//     told of changes of its own text only, and always of one at a time, whose
//     patches Automerge still has;
//   - takes each patch as an update of the view: many are made one;
//   - breaks off for good when an edit throws, because the text went away or
//     became something else: here edits of what is not there are swallowed and
//     the editor's owner is told;
//   - does not notice when its view and the text differ, as after an edit inside
//     a surrogate pair, which the document widens, or an object between the
//     characters: here both are compared after each step, and the document wins;
//   - writes a paste of any length as one change, and servers refuse big ones;
//   - lets others' edits come between an input method and its word, which ends
//     the word half-way: here they wait until it is written.

import * as A from "@automerge/automerge/slim"
import type { DocHandle, DocHandleChangePayload } from "@automerge/automerge-repo/slim"
import { ChangeSet, type Transaction } from "@codemirror/state"
import type { EditorView } from "@codemirror/view"
import { diff, inPieces, type Splice } from "../core/diff"
import { remote } from "./remote"

/** The most units that one change of a text touches; the server refuses changes of too many operations. */
export const maxPiece = 50_000
/** Up to so many patches are taken one by one. */
const maxSteps = 16
/** Up to this length view and text are compared in full after each change, above it a moment later. */
const maxCompared = 50_000
const compareAfterMillis = 700
/** So long after an input method is done the view has its word. */
const afterWordMillis = 60

/** What of the binding's plugin is looked at. */
export interface Reconciler {
  reconciledHeads: A.Heads
}

type Change = DocHandleChangePayload<any>

export class Bound {
  readonly #handle: DocHandle<any>
  readonly #path: readonly A.Prop[]
  readonly #onGone: () => void
  #view: EditorView | null = null
  #binding: () => Reconciler | null = () => null
  #transactions: readonly Transaction[] = []
  #told: (() => void) | null = null
  #writing = false
  #comparing: ReturnType<typeof setTimeout> | undefined
  /** What others did while an input method composes: what makes the document's text of the view's. */
  #waiting: ChangeSet | null = null

  constructor(handle: DocHandle<any>, path: readonly A.Prop[], onGone: () => void) {
    this.#handle = handle
    this.#path = path
    this.#onGone = onGone
  }

  /** The text as the document has it, null when there is none. */
  text(): string | null {
    return textAt(this.#handle.doc(), this.#path)
  }

  /** Says which view shows the text, and where its part of the binding is. */
  attach(view: EditorView, binding: () => Reconciler | null): void {
    this.#view = view
    this.#binding = binding
    view.contentDOM.addEventListener("compositionend", this.#composed)
    this.#settle()
  }

  detach(): void {
    clearTimeout(this.#comparing)
    this.#view?.contentDOM.removeEventListener("compositionend", this.#composed)
    this.#view = null
    this.#waiting = null
  }

  /** What the view is about to hand to the binding. */
  entering(transactions: readonly Transaction[]): void {
    this.#transactions = transactions
  }

  // What the binding calls.

  isReady = () => this.#handle.isReady()
  doc = () => this.#handle.doc()

  change(write: (doc: any) => void): void {
    if (this.text() === null) return this.#gone()
    this.#writing = true
    try {
      const behind = this.#waiting !== null
      const splices = behind ? this.#behind() : splicesOf(this.#transactions.filter(ours).map(tr => tr.changes))
      const size = splices.reduce((n, s) => n + s.del + s.ins.length, 0)
      if (size <= maxPiece && !behind) this.#handle.change(write)
      else for (const s of splices) this.#splice(s)
    } catch (err) {
      console.warn("an edit could not be written", err)
    } finally {
      this.#writing = false
    }
    if (!this.#waiting && !this.#agrees()) this.#later()
  }

  /** What was written in the view, as edits of the text that has what waits in it already. */
  #behind(): Splice[] {
    const mapped: ChangeSet[] = []
    for (const { changes } of this.#transactions.filter(ours)) {
      mapped.push(changes.map(this.#waiting!))
      this.#waiting = this.#waiting!.map(changes, true)
    }
    return splicesOf(mapped)
  }

  on(_event: "change", told: () => void): void {
    this.#told = told
    this.#handle.on("change", this.#changed)
  }

  off(): void {
    this.#told = null
    this.#handle.off("change", this.#changed)
  }

  #splice(s: Splice): void {
    for (const piece of inPieces(this.text() ?? "", s, maxPiece)) {
      this.#handle.change((doc: any) => A.splice(doc, [...this.#path], piece.at, piece.del, piece.ins))
    }
  }

  #changed = ({ patches, patchInfo }: Change): void => {
    const view = this.#view
    const binding = this.#binding()
    if (this.#writing || !view || !binding) return
    const mine = patches.filter(p => touches(p.path, this.#path))
    if (mine.length > 0 && (this.#waiting || view.compositionStarted)) {
      const before = this.#waiting ?? ChangeSet.empty(view.state.doc.length)
      const theirs = mine.every(p => isEdit(p, this.#path)) ? composed(mine, before.newLength, this.#path.length) : null
      this.#waiting = theirs && before.compose(theirs)
      if (!theirs) this.#settle()
    } else if (mine.length > 0) {
      const inStep = A.equals(binding.reconciledHeads, A.getHeads(patchInfo.before))
      if (inStep && mine.every(p => isEdit(p, this.#path))) this.#take(view, mine)
      this.#settle()
    }
    binding.reconciledHeads = A.getHeads(this.#handle.doc())
  }

  /** The word of an input method is written: shows what waited, when the view has taken the word in. */
  readonly #composed = (): void => {
    setTimeout(() => {
      const view = this.#view
      const changes = this.#waiting
      if (!view || !changes) return
      if (view.compositionStarted) return // another one has begun
      this.#waiting = null
      if (changes.length === view.state.doc.length) view.dispatch({ changes, selection: view.state.selection.map(changes, 1), annotations: remote.of({}) })
      this.#settle()
    }, afterWordMillis)
  }

  /** Shows edits that come right after what the view shows. */
  #take(view: EditorView, patches: A.Patch[]): void {
    if (patches.length <= maxSteps) return this.#told?.()
    const changes = composed(patches, view.state.doc.length, this.#path.length)
    if (changes) view.dispatch({ changes, selection: view.state.selection.map(changes, 1), annotations: remote.of({}) })
  }

  /** Sees to it that the view shows what the document says. */
  #settle(): void {
    const text = this.text()
    if (text === null) return this.#gone()
    if (!this.#waiting && !this.#agrees()) this.#resync(text)
  }

  #resync(text: string): void {
    const view = this.#view!
    const s = diff(view.state.sliceDoc(), text)
    if (s) {
      const changes = view.state.changes({ from: s.at, to: s.at + s.del, insert: view.state.toText(s.ins) })
      view.dispatch({ changes, selection: view.state.selection.map(changes, 1), annotations: remote.of({}) })
    }
    const binding = this.#binding()
    if (binding) binding.reconciledHeads = A.getHeads(this.#handle.doc())
  }

  #agrees(): boolean {
    const view = this.#view
    const text = this.text()
    if (!view || text === null) return true
    if (view.state.doc.length !== text.length) return false
    if (text.length <= maxCompared) return view.state.sliceDoc() === text
    this.#later(compareAfterMillis)
    return true
  }

  /** Compares again when the view's update is over. */
  #later(millis = 0): void {
    clearTimeout(this.#comparing)
    this.#comparing = setTimeout(() => {
      const text = this.text()
      if (this.#view && !this.#waiting && text !== null && this.#view.state.sliceDoc() !== text) this.#resync(text)
    }, millis)
  }

  #gone(): void {
    queueMicrotask(() => this.#view && this.#onGone()) // not within the view's update
  }
}

/** The text at a path, null when there is none. */
export function textAt(doc: unknown, path: readonly A.Prop[]): string | null {
  let value: any = doc
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return null
    value = value[key]
  }
  return typeof value === "string" ? value : null
}

/** Reports whether a patch is about the text, or about what it lies in. */
function touches(patch: A.Prop[], path: readonly A.Prop[]): boolean {
  const shared = Math.min(patch.length, path.length)
  for (let i = shared - 1; i >= 0; i--) if (patch[i] !== path[i]) return false
  return true
}

/** Reports whether a patch puts characters into the text or takes some out. */
function isEdit(patch: A.Patch, path: readonly A.Prop[]): boolean {
  return (patch.action === "splice" || patch.action === "del") && patch.path.length === path.length + 1 && typeof patch.path.at(-1) === "number"
}

/** Edits as one change of a text of some length; null when they do not fit it. */
function composed(patches: A.Patch[], length: number, depth: number): ChangeSet | null {
  let all = ChangeSet.empty(length)
  for (const p of patches) {
    const from = p.path[depth] as number
    const to = p.action === "del" ? from + (p.length ?? 1) : from
    if (to > all.newLength) return null
    all = all.compose(ChangeSet.of({ from, to, insert: p.action === "splice" ? p.value : "" }, all.newLength, "\n"))
  }
  return all
}

/** Whether a transaction is an edit made in the view. */
const ours = (tr: Transaction) => !tr.annotation(remote) && !tr.changes.empty

/** What changes do to the text, one after the other, as the binding writes it. */
function splicesOf(all: readonly ChangeSet[]): Splice[] {
  const splices: Splice[] = []
  for (const changes of all) {
    changes.iterChanges((fromA, toA, fromB, _toB, inserted) => splices.push({ at: fromB, del: toA - fromA, ins: inserted.toString() }))
  }
  return splices
}
