// One's own work in a context since the page was opened, piece by piece: what
// Ctrl-Z goes back through, and Ctrl-Y forward again. It is kept beside the
// document's handle, so that it is still there when one comes back to a context.

import * as A from "@automerge/automerge/slim"
import type { DocHandle, DocHandleChangePayload } from "@automerge/automerge-repo/slim"
import { isMadeHere, watchMade } from "../core/local"
import type { ContextModel } from "../core/model"
import type { ContextDoc } from "../core/schema"
import { textOf, Unit } from "./unit"

/** A pause in typing, in milliseconds, that ends a piece of it. */
const pauseMillis = 1000
/** So many keystrokes are one piece at most. */
const maxTyped = 200
/** What comes in at once and is longer than this was not typed. */
const longestTyped = 30
const maxUnits = 500
/** How many characters all pieces together remember. */
const maxChars = 8_000_000

export class OwnWork {
  readonly #now: () => number
  readonly #done: Unit[] = []
  readonly #undone: Unit[] = []
  /** The server's undos of what lies before this work that can be brought back, the last one last. */
  readonly beyond: string[] = []
  #open = false // the last unit takes in what is changed in this turn of the page
  #typing = "" // the text that the last unit is typing in
  #turning = false

  constructor(handle: DocHandle<ContextDoc>, now: () => number = () => performance.now()) {
    this.#now = now
    watchMade(handle)
    handle.on("change", payload => isMadeHere(handle) && this.#note(payload))
  }

  #note({ doc, patches, patchInfo }: DocHandleChangePayload<ContextDoc>): void {
    if (this.#turning || patches.length === 0) return
    const [hash, ...others] = A.getHeads(doc as A.Doc<ContextDoc>)
    if (hash === undefined || others.length > 0) return
    this.#undone.length = this.beyond.length = 0
    const text = textOf(patches)
    const typed = text !== "" && patches.every(p => (p.action === "splice" ? p.value.length : p.action === "del" ? (p.length ?? 1) : 0) <= longestTyped)
    const at = this.#now()
    const last = this.#done.at(-1)
    const goesOn = last !== undefined && (this.#open || (typed && text === this.#typing && at - last.at < pauseMillis && last.changes < maxTyped))
    const unit = goesOn ? last : new Unit()
    if (!goesOn) this.#push(unit)
    this.#typing = typed && (!goesOn || text === this.#typing) ? text : ""
    unit.note(patches, patchInfo.before, doc, hash, at)
    if (this.#open) return
    this.#open = true
    queueMicrotask(() => (this.#open = false))
  }

  #push(unit: Unit): void {
    this.#done.push(unit)
    let chars = 0
    for (const u of this.#done) chars += u.size
    while (this.#done.length > maxUnits || (chars > maxChars && this.#done.length > 1)) chars -= this.#done.shift()!.size
  }

  /** Takes the last piece back that still shows; returns it, or null if there is none. */
  undo(model: ContextModel): Unit | null {
    return this.#turn(model, this.#done, this.#undone, true)
  }

  /** Brings back what was taken back last. */
  redo(model: ContextModel): Unit | null {
    return this.#turn(model, this.#undone, this.#done, false)
  }

  #turn(model: ContextModel, from: Unit[], to: Unit[], back: boolean): Unit | null {
    this.#typing = ""
    this.#turning = true
    try {
      for (let unit = from.pop(); unit; unit = from.pop()) {
        if (unit.empty || !unit.turn(model, back)) continue
        to.push(unit)
        return unit
      }
      return null
    } finally {
      this.#turning = false
    }
  }
}

const known = new WeakMap<DocHandle<ContextDoc>, OwnWork>()

/** The work of this page in a context, from the first time that this is asked. */
export function ownWork(model: ContextModel): OwnWork {
  let work = known.get(model.handle)
  if (!work) known.set(model.handle, (work = new OwnWork(model.handle)))
  return work
}
