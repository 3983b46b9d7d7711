// Keeps a text box without line breaks and a Text in a document in step: what is typed
// goes into the document as one splice, what others write comes into the box,
// and the caret stays where it was in the words around it. While an input
// method holds the box nothing is put into it.

import * as A from "@automerge/automerge/slim"
import type { DocHandle, DocHandleChangePayload } from "@automerge/automerge-repo/slim"
import { apply, cross, diff, shift, type Splice } from "../core/diff"
import { textAt } from "./bound"

/** A title is a line: what is pasted is made one. */
const maxChars = 1000

export class TitleBox {
  readonly #box: HTMLInputElement | HTMLTextAreaElement
  readonly #handle: DocHandle<any>
  readonly #path: readonly A.Prop[]
  #shown = "" // the document's text as the box last showed it
  #theirs: Splice[] = [] // what others did to it since, while an input method holds the box
  #composing = false
  #writing = false
  readonly #stop = new AbortController()

  constructor(box: HTMLInputElement | HTMLTextAreaElement, handle: DocHandle<any>, path: readonly A.Prop[]) {
    this.#box = box
    this.#handle = handle
    this.#path = path
    const { signal } = this.#stop
    box.addEventListener("input", () => this.#typed(), { signal })
    box.addEventListener("compositionstart", () => (this.#composing = true), { signal })
    box.addEventListener(
      "compositionend",
      () => {
        this.#composing = false
        this.#typed()
        this.#show(this.#text())
      },
      { signal },
    )
    handle.on("change", this.#changed)
    this.#show(this.#text())
  }

  close(): void {
    this.#stop.abort()
    this.#handle.off("change", this.#changed)
  }

  #changed = ({ patches }: DocHandleChangePayload<any>): void => {
    if (this.#writing || !patches.some(p => p.path[0] === this.#path[0])) return
    const text = this.#text()
    if (this.#composing) this.#theirs.push(...missing(this.#theirs.reduce(apply, this.#shown), text))
    else this.#show(text)
  }

  /** As high as its words, where the browser does not see to it. */
  #fit(): void {
    const box = this.#box
    if (box.localName !== "textarea" || typeof CSS === "undefined" || CSS.supports("field-sizing", "content")) return
    box.style.height = "auto"
    box.style.height = `${box.scrollHeight}px`
  }

  #text(): string {
    return textAt(this.#handle.doc(), this.#path) ?? ""
  }

  #typed(): void {
    const typed = diff(this.#shown, this.#box.value, this.#box.selectionEnd ?? undefined)
    if (!typed) return
    const { mine, theirs } = cross({ ...typed, ins: typed.ins.slice(0, maxChars).replace(/[\r\n]+/g, " ") }, this.#theirs)
    this.#writing = true
    try {
      this.#handle.change((doc: any) => A.splice(doc, [...this.#path], mine.at, mine.del, mine.ins))
    } catch (err) {
      console.warn("the title could not be written", err)
    } finally {
      this.#writing = false
    }
    this.#shown = apply(this.#shown, typed)
    this.#theirs = theirs
    if (!this.#composing) this.#show(this.#text())
    this.#fit()
  }

  #show(text: string): void {
    const box = this.#box
    this.#shown = text
    this.#theirs = []
    const s = diff(box.value, text)
    if (!s) return
    const { selectionDirection } = box
    const [start, end] = [shift(box.selectionStart ?? 0, s), shift(box.selectionEnd ?? 0, s)]
    box.value = text
    this.#fit()
    if (document.activeElement === box) box.setSelectionRange(start, end, selectionDirection ?? "none")
  }
}

/** The one splice that turns a text into another, if they differ. */
function missing(from: string, to: string): Splice[] {
  const s = diff(from, to)
  return s ? [s] : []
}
