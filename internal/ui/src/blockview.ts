// One block on the page.

import * as A from "@automerge/automerge/slim"
import type { DocHandle } from "@automerge/automerge-repo/slim"
import type { Actors } from "./actors"
import type { Directory } from "./directory"
import { h, setAttr, setChildren, setText } from "./dom"
import { Receipt } from "./receipt"
import { madeAt, type Block, type ContextDoc, type RawBlock } from "./schema"
import { splicesAt, TextBox } from "./textbox"

const kindNames: Record<string, string> = {
  tool_call: "tool call",
  tool_result: "tool result",
  shell_command: "shell",
  shell_output: "shell output",
}
const kindName = (kind: string) => kindNames[kind] ?? (kind || "block")

/** What a block's view asks of the list that holds it. */
export interface BlockHost {
  handle: DocHandle<ContextDoc>
  actors: Actors
  known: Directory
  /** Makes a text block below this one and puts the caret there. */
  insertBelow(id: string): void
  /** Moves the keyboard to the block above (-1) or below (1). */
  step(id: string, by: -1 | 1): void
}

export class BlockView {
  readonly el: HTMLLIElement
  actor = ""
  #host: BlockHost
  #block: Block
  #page: string
  #article: HTMLElement
  #badges: { kind: HTMLElement; path: HTMLElement; role: HTMLElement; status: HTMLElement; stale: HTMLElement; excluded: HTMLElement; author: HTMLElement }
  #receipt: Receipt
  #content!: HTMLElement
  #fold: HTMLButtonElement
  #box: TextBox | null = null
  #shown = "" // what a block that cannot be edited shows
  #plain = true // and there are no links in it
  #folded = false

  constructor(host: BlockHost, page: string, block: Block, raw: RawBlock) {
    this.#host = host
    this.#page = page
    this.#block = block
    this.actor = (A.getObjectId(raw) ?? "").split("@")[1] ?? ""
    this.#folded = block.collapsed
    const badge = (name: string) => h("span", { class: `badge ${name}` })
    this.#badges = { kind: badge("kind"), path: badge("path"), role: badge("role"), status: badge("status"), stale: badge("stale"), excluded: badge("excluded"), author: badge("author") }
    const made = madeAt(block.id)
    const time = made === null ? null : h("time", { datetime: new Date(made).toISOString(), title: new Date(made).toLocaleString() }, clock(made))
    this.#receipt = new Receipt(host.known)
    this.#fold = h("button", { class: "fold", type: "button", click: () => this.#setFolded(!this.#folded) })
    this.#article = h(
      "article",
      { tabindex: "-1" },
      h("header", {}, this.#badges.role, this.#badges.kind, this.#badges.path, this.#badges.status, this.#badges.stale, this.#badges.excluded, h("span", { class: "gap" }), this.#badges.author, time, this.#fold),
      this.#receipt.head,
      this.#receipt.foot,
    )
    this.el = h("li", { "data-block": block.id, keydown: (e: KeyboardEvent) => this.#key(e) }, this.#article)
    this.#receipt.show(block)
    this.#makeContent()
    this.#showBadges()
    this.#setFolded(this.#folded)
  }

  get block(): Block {
    return this.#block
  }

  /** Shows a new state of the block; `patches` are those of the change that concern it. */
  update(block: Block, patches: A.Patch[]): void {
    const before = this.#block
    this.#block = block
    const relinked = this.#receipt.show(block)
    if (block.form !== before.form) this.#makeContent()
    else if (this.#box) {
      const splices = splicesAt(patches, ["pages", this.#page, block.id, "text"])
      this.#box.update(block.content, splices ?? [])
    } else this.#showContent(relinked || block.status !== before.status)
    if (block.collapsed !== before.collapsed) this.#setFolded(block.collapsed)
    this.#showBadges()
  }

  /** Shows anew what names other contexts. */
  named(): void {
    this.#receipt.forget()
    this.#receipt.show(this.#block)
    if (!this.#box) this.#showContent(true)
  }

  /** How the lines begin that a handle names, if this block cites them. */
  quoteOf(handle: string): string {
    return this.#receipt.meta.citations.find(c => c.handle === handle)?.quote ?? ""
  }

  /** Brings the block into sight, and the keyboard to it. */
  reveal(): void {
    this.el.scrollIntoView({ block: "center" })
    this.#article.focus({ preventScroll: true })
  }

  setDepth(depth: number): void {
    this.el.style.setProperty("--depth", String(Math.min(depth, 8)))
    setAttr(this.el, "aria-level", String(depth + 1))
  }

  showAuthor(): void {
    const { text, own } = this.#host.actors.label(this.actor)
    setText(this.#badges.author, text)
    setAttr(this.#badges.author, "data-own", own ? "" : null)
    setAttr(this.#badges.author, "title", `author: ${text} (actor ${this.actor})`)
    this.#badges.author.style.setProperty("--hue", String(hue(text)))
  }

  /** Puts the keyboard into the block; in a text, the caret at `end` or at the start. */
  focus(end = true): void {
    if (this.#content instanceof HTMLTextAreaElement && !this.#folded) {
      const at = end ? this.#content.value.length : 0
      this.#content.focus()
      this.#content.setSelectionRange(at, at)
    } else this.#article.focus()
  }

  #showBadges(): void {
    const { kind, role, status, excluded } = this.#block
    setAttr(this.el, "data-kind", kind)
    setAttr(this.el, "data-role", role)
    setAttr(this.el, "data-status", status)
    setAttr(this.el, "data-excluded", excluded ? "" : null)
    setText(this.#badges.kind, kindName(kind))
    const { path } = this.#receipt.meta
    setText(this.#badges.path, path)
    this.#badges.path.hidden = path === ""
    setText(this.#badges.role, role || "?")
    setText(this.#badges.status, status)
    this.#badges.status.hidden = status === "" || status === "done"
    const stale = this.#receipt.meta.stale.length > 0
    setText(this.#badges.stale, "stale")
    this.#badges.stale.hidden = !stale
    setText(this.#badges.excluded, "excluded")
    this.#badges.excluded.hidden = !excluded
    setAttr(this.#article, "aria-label", `${kindName(kind)}${path && ` ${path}`} by ${role}${status && status !== "done" ? `, ${status}` : ""}${stale ? ", stale" : ""}`)
    setAttr(this.#article, "aria-busy", status === "running" ? "true" : null)
    this.showAuthor()
  }

  #makeContent(): void {
    const content = this.#block.form === "text" ? this.#makeBox() : this.#makePlain()
    if (this.#content) this.#content.replaceWith(content)
    else this.#receipt.foot.before(content)
    this.#content = content
    content.hidden = this.#folded
    if (content instanceof HTMLTextAreaElement) fit(content)
  }

  #makeBox(): HTMLTextAreaElement {
    const { id, kind, role, content } = this.#block
    const box = h("textarea", { class: "content", rows: 1, spellcheck: "false", "aria-label": `${kindName(kind)} by ${role}: text`, placeholder: "Empty" })
    const size = () => fit(box)
    box.addEventListener("input", size)
    box.addEventListener("shown", size)
    this.#box = new TextBox(box, this.#host.handle, ["pages", this.#page, id, "text"], content)
    return box
  }

  #makePlain(): HTMLElement {
    this.#box = null
    this.#shown = this.#block.content
    const parts = this.#parts()
    this.#plain = isPlain(parts)
    return h("div", { class: "content", tabindex: "0", role: "group", "aria-label": "content" }, ...parts)
  }

  /** The content with its links; of a stream, which may end within one, as it is. */
  #parts(): (HTMLElement | string)[] {
    const { content, status } = this.#block
    return status === "running" ? [content] : this.#receipt.linked(content)
  }

  /** Streams grow at the end: only what is new is added, so that a selection above it survives. */
  #showContent(relinked: boolean): void {
    const { content } = this.#block
    if (content === this.#shown && !relinked) return
    const parts = this.#parts()
    const plain = isPlain(parts)
    if (plain && this.#plain && content.startsWith(this.#shown)) this.#content.append(content.slice(this.#shown.length))
    else setChildren(this.#content, parts)
    this.#shown = content
    this.#plain = plain
  }

  #setFolded(folded: boolean): void {
    this.#folded = folded
    this.#content.hidden = folded
    this.#fold.hidden = !this.#block.collapsed && !folded
    setText(this.#fold, folded ? "Show" : "Hide")
    setAttr(this.#fold, "aria-expanded", String(!folded))
  }

  #key(e: KeyboardEvent): void {
    if (e.isComposing) return
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault()
      this.#host.insertBelow(this.#block.id)
    } else if (e.altKey && (e.key === "ArrowUp" || e.key === "ArrowDown")) {
      e.preventDefault()
      this.#host.step(this.#block.id, e.key === "ArrowUp" ? -1 : 1)
    } else if (e.key === "Escape") this.#article.focus()
    else if (e.key === "Enter" && e.target === this.#article) {
      e.preventDefault()
      this.focus()
    }
  }
}

const growsByItself = CSS.supports("field-sizing", "content")

/** Makes a text box as high as its text, where the style sheet cannot. */
export function fit(box: HTMLTextAreaElement): void {
  if (growsByItself) return
  box.style.height = "auto"
  box.style.height = `${box.scrollHeight}px`
}

/** Reports whether parts of a content have no links. */
const isPlain = (parts: (HTMLElement | string)[]) => parts.every(part => typeof part === "string")

/** A colour of one's own, in degrees. */
function hue(name: string): number {
  let sum = 0
  for (const c of name) sum = (sum * 31 + c.codePointAt(0)!) % 360
  return sum
}

function clock(ms: number): string {
  const made = new Date(ms)
  const today = made.toDateString() === new Date().toDateString()
  return today ? made.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" }) : made.toLocaleDateString([], { day: "numeric", month: "short" })
}
