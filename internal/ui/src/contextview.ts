// A context on the page: its title and its blocks, live.

import * as A from "@automerge/automerge/slim"
import type { DocHandle, DocHandleChangePayload } from "@automerge/automerge-repo/slim"
import type { Actors } from "./actors"
import { BlockView, fit, type BlockHost } from "./blockview"
import { inPieces } from "./diff"
import type { Directory } from "./directory"
import { h, oncePerFrame } from "./dom"
import { bySibling, inOrder, isBlock, newBlockID, pageOf, putTextBlock, rawBlocks, readBlock, type Block, type ContextDoc, type Place, type Row } from "./schema"
import { maxPiece, spliceText, splicesAt, TextBox } from "./textbox"

/** Something shown in the main part of the page. */
export interface View {
  readonly el: HTMLElement
  close(): void
}

/** How near to its end, in pixels, the list must be to follow what is added. */
const followPixels = 120

export class ContextView implements View, BlockHost {
  readonly el: HTMLElement
  readonly handle: DocHandle<ContextDoc>
  readonly actors: Actors
  readonly known: Directory
  #list: HTMLOListElement
  #empty: HTMLElement
  #composer: HTMLTextAreaElement
  #title: TextBox
  #blocks = new Map<string, Block>()
  #views = new Map<string, BlockView>()
  #rows: Row[] = []
  #following = false // the end of the list is in sight
  #sight = new IntersectionObserver(entries => (this.#following = entries.at(-1)!.isIntersecting), { rootMargin: `0px 0px ${followPixels}px 0px` })
  #scrollToEnd = oncePerFrame(() => this.el.parentElement?.scrollTo({ top: this.el.parentElement.scrollHeight }))
  #learn = oncePerFrame(() => void this.#learnAuthors())
  #onChange = (e: DocHandleChangePayload<ContextDoc>) => this.#changed(e.doc, e.patches)

  constructor(handle: DocHandle<ContextDoc>, actors: Actors, known: Directory) {
    this.handle = handle
    this.actors = actors
    this.known = known
    const doc = handle.doc()
    const title = h("input", { class: "title", "aria-label": "Title", placeholder: "Untitled", spellcheck: "false", autocomplete: "off" })
    this.#title = new TextBox(title, handle, ["title"], typeof doc.title === "string" ? doc.title : "")
    this.#list = h("ol", { class: "blocks", "aria-label": "Blocks" })
    this.#empty = h(
      "div",
      { class: "empty" },
      h("h2", {}, "Nothing written yet"),
      h("p", {}, "Write the first block below, or from a terminal:"),
      h("pre", {}, h("code", {}, `kj block append ${shellWord(doc.title, handle.url)} "Hello from the shell"`)),
    )
    this.#composer = h("textarea", {
      class: "composer",
      rows: 1,
      "aria-label": "New block",
      "aria-describedby": "composer-hint",
      placeholder: "Write a block…",
      keydown: (e: KeyboardEvent) => this.#composerKey(e),
      input: () => fit(this.#composer),
    })
    const end = h("div", { class: "end" })
    this.el = h(
      "section",
      { class: "context", "aria-label": "Context" },
      title,
      h("p", { class: "address" }, h("code", {}, handle.url)),
      this.#list,
      this.#empty,
      end,
      h(
        "form",
        {
          class: "compose",
          submit: (e: SubmitEvent) => {
            e.preventDefault()
            this.#addComposed()
          },
        },
        this.#composer,
        h("button", { type: "submit", class: "primary" }, "Add block"),
        h("p", { id: "composer-hint", class: "hint" }, h("kbd", {}, "Enter"), " adds, ", h("kbd", {}, "Shift"), " ", h("kbd", {}, "Enter"), " is a new line, ", h("kbd", {}, "Ctrl"), " ", h("kbd", {}, "Enter"), " in a block starts one below"),
      ),
    )
    this.#readAll(doc)
    handle.on("change", this.#onChange)
    this.#sight.observe(end)
  }

  close(): void {
    this.#sight.disconnect()
    this.handle.off("change", this.#onChange)
  }

  /** The number of blocks that show. */
  get length(): number {
    return this.#rows.length
  }

  /** Brings a block into sight; reports whether it is there. */
  reveal(id: string): boolean {
    if (!this.#rows.some(row => row.block.id === id)) return false
    this.#views.get(id)!.reveal()
    return true
  }

  /** Shows anew what names other contexts. */
  named(): void {
    for (const view of this.#views.values()) view.named()
  }

  /** How the lines begin that a handle names, if a block here cites them. */
  quoteOf(handle: string): string {
    for (const view of this.#views.values()) {
      const quote = view.quoteOf(handle)
      if (quote !== "") return quote
    }
    return ""
  }

  insertBelow(id: string): void {
    const at = this.#blocks.get(id)
    if (!at) return
    const made = this.#add(this.#placeAfter(at.parent, at), "")
    this.#views.get(made)?.focus()
  }

  step(id: string, by: -1 | 1): void {
    const next = this.#rows[this.#rows.findIndex(row => row.block.id === id) + by]
    if (next) this.#views.get(next.block.id)?.focus(by < 0)
    else if (by > 0) this.#composer.focus()
  }

  #readAll(doc: ContextDoc): void {
    this.#blocks.clear()
    for (const [page, id, raw] of rawBlocks(doc)) this.#read(page, id, raw, [])
    for (const id of this.#views.keys()) if (!this.#blocks.has(id)) this.#drop(id)
    this.#arrange()
  }

  /** Takes in one block; reports whether the order of the list may differ now. */
  #read(page: string, id: string, raw: ContextDoc["pages"][string][string], patches: A.Patch[]): boolean {
    const block = readBlock(id, raw)
    const before = this.#blocks.get(id)
    this.#blocks.set(id, block)
    const view = this.#views.get(id)
    if (view) view.update(block, patches)
    else this.#views.set(id, new BlockView(this, page, block, raw))
    return !view || !before || before.order !== block.order || before.parent !== block.parent || before.deleted !== block.deleted
  }

  #drop(id: string): void {
    this.#views.get(id)?.el.remove()
    this.#views.delete(id)
    this.#blocks.delete(id)
  }

  #changed(doc: ContextDoc, patches: A.Patch[]): void {
    const title = splicesAt(patches, ["title"])
    this.#title.update(typeof doc.title === "string" ? doc.title : "", title ?? [])
    const touched = new Map<string, { page: string; patches: A.Patch[] }>()
    for (const patch of patches) {
      if (patch.path[0] !== "pages") continue
      if (patch.path.length < 3) return this.#readAll(doc)
      const id = String(patch.path[2])
      const entry = touched.get(id)
      if (entry) entry.patches.push(patch)
      else touched.set(id, { page: String(patch.path[1]), patches: [patch] })
    }
    let moved = false
    for (const [id, { page, patches }] of touched) {
      const raw = doc.pages[page]?.[id]
      if (isBlock(page, id, raw)) moved = this.#read(page, id, raw, patches) || moved
      else if (this.#views.has(id)) {
        this.#drop(id)
        moved = true
      }
    }
    if (moved) this.#arrange()
    if (this.#following && touched.size > 0) this.#scrollToEnd()
  }

  /** Lays the list out anew, moving as few elements as it can and keeping the keyboard's place. */
  #arrange(): void {
    this.#rows = inOrder(this.#blocks)
    const listed = new Set(this.#rows.map(row => row.block.id))
    for (const [id, view] of this.#views) if (!listed.has(id)) view.el.remove()
    const active = document.activeElement
    const selection = active instanceof HTMLTextAreaElement ? ([active.selectionStart, active.selectionEnd, active.selectionDirection] as const) : null
    let next = this.#list.firstElementChild
    for (const { block, depth } of this.#rows) {
      const view = this.#views.get(block.id)!
      view.setDepth(depth)
      if (view.el === next) next = next.nextElementSibling
      else this.#list.insertBefore(view.el, next)
    }
    if (active instanceof HTMLElement && active !== document.activeElement && this.#list.contains(active)) {
      active.focus({ preventScroll: true })
      if (selection) (active as HTMLTextAreaElement).setSelectionRange(...selection)
    }
    this.#empty.hidden = this.#rows.length > 0
    this.#learn()
  }

  /** The place right behind a block among its siblings, or behind all of them. */
  #placeAfter(parent: string, at?: Block): Place {
    // Deleted blocks count too: their keys are taken.
    const siblings = [...this.#blocks.values()].filter(b => b.parent === parent).sort(bySibling)
    const before = at ?? siblings.at(-1)
    const next = at && siblings[siblings.indexOf(at) + 1]
    const own = A.getActorId(this.handle.doc())
    const afterOwn = before !== undefined && this.#views.get(before.id)?.actor === own
    return { parent, low: before?.order ?? "", high: next?.order ?? null, afterOwn }
  }

  #add(place: Place, text: string): string {
    const id = newBlockID()
    const path = ["pages", pageOf(id), id, "text"]
    const [first, ...rest] = [...inPieces("", { at: 0, del: 0, ins: text }, maxPiece)]
    this.handle.change(doc => putTextBlock(doc, id, place, first?.ins ?? ""))
    for (const piece of rest) spliceText(this.handle, path, text, piece)
    return id
  }

  #addComposed(): void {
    const text = this.#composer.value
    if (text.trim() === "") return this.#composer.focus()
    this.#add(this.#placeAfter(""), text)
    this.#composer.value = ""
    fit(this.#composer)
    this.#composer.focus()
    this.#scrollToEnd()
  }

  #composerKey(e: KeyboardEvent): void {
    if (e.isComposing) return
    if (e.key === "Enter" && !e.shiftKey) {
      e.preventDefault()
      this.#addComposed()
    } else if (e.altKey && e.key === "ArrowUp") {
      e.preventDefault()
      const last = this.#rows.at(-1)
      if (last) this.#views.get(last.block.id)?.focus()
    }
  }

  async #learnAuthors(): Promise<void> {
    const actors = new Map([...this.#views].map(([id, view]) => [id, view.actor]))
    if (await this.actors.learn(this.handle.url, actors)) for (const view of this.#views.values()) view.showAuthor()
  }
}

/** A context's title as a word of the shell when that is simple, else its address. */
function shellWord(title: unknown, url: string): string {
  if (typeof title === "string" && /^[\w][\w .,:-]{0,39}$/.test(title)) return title.includes(" ") ? `"${title}"` : title
  return url
}
