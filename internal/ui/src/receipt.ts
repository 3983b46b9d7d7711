// What a block shows of where it comes from and what it rests on: above the
// content whence it drifted, below it what it cites and what of that is stale.

import { diffView } from "./diffview"
import { isOurs, placeOf, type Directory } from "./directory"
import { h, setChildren, setText } from "./dom"
import { citeAddress, linesOf, parseHandle, piecesOf, shortOf, type Piece } from "./handle"
import { readMeta, shortened, type Drift, type Mark, type Meta } from "./meta"
import type { Block } from "./schema"

/** How much of a quote is shown, in characters. */
const maxQuote = 80

/** What has become of what a number cites, in words. */
const reasons = new Map([
  ["changed", (ref: string) => `the lines that ${ref} cites are not as they were`],
  ["deleted", (ref: string) => `the block that ${ref} cites was deleted`],
  ["context deleted", (ref: string) => `the context that ${ref} cites was deleted`],
])

export class Receipt {
  readonly head = h("p", { class: "origin", hidden: true })
  readonly foot = h("div", { class: "rests", hidden: true })
  readonly #known: Directory
  #cites = h("p", { class: "cites" })
  #summary = h("summary", {})
  #marks = h("div", {})
  #stale = h("details", { class: "stale" }, this.#summary, this.#marks)
  #shown = ""
  meta: Meta = readMeta("", "")

  constructor(known: Directory) {
    this.#known = known
    this.foot.append(this.#cites, this.#stale)
  }

  /** Shows what a block says; reports whether what its content links to may be different now. */
  show(block: Block): boolean {
    const key = `${block.kind}\n${block.meta}`
    const news = key !== this.#shown
    if (news) {
      this.#shown = key
      this.meta = readMeta(block.kind, block.meta)
      this.#showOrigin()
      this.#showStale()
    }
    this.#showCites(block)
    this.foot.hidden = this.#cites.hidden && this.#stale.hidden
    return news
  }

  /** Takes what other contexts are called anew with the next block. */
  forget(): void {
    this.#shown = ""
  }

  /** The content of a block as text with links. */
  linked(text: string): (HTMLElement | string)[] {
    return this.#pieces(text).map(piece => (piece.handle === undefined ? piece.text : this.#link(piece)))
  }

  #pieces(text: string): Piece[] {
    return piecesOf(text, new Map(this.meta.citations.map(c => [c.ref, c.handle])))
  }

  #link({ text, handle, ref }: Piece): HTMLElement {
    if (ref === undefined) return handleLink(text, handle!, this.#known)
    const stale = this.meta.stale.some(m => m.ref === ref)
    const quote = this.meta.citations.find(c => c.ref === ref)?.quote ?? ""
    return h("a", { class: "cite", href: citeAddress(handle!), "data-stale": stale, title: quote, "aria-label": `citation ${ref}${stale ? ", stale" : ""}` }, text)
  }

  #showOrigin(): void {
    const { drift } = this.meta
    this.head.hidden = drift === null
    if (drift) setChildren(this.head, originOf(drift, this.#known))
  }

  /** Lists what is cited but not linked in the content: of a text that can be edited, everything. */
  #showCites(block: Block): void {
    const pieces = block.status === "running" ? [] : this.#pieces(block.content)
    const inside = block.form !== "text"
    const linked = new Set(inside ? pieces.map(p => p.ref) : [])
    const links = this.meta.citations.filter(c => !linked.has(c.ref)).map(c => [this.#link({ text: `[${c.ref}]`, handle: c.handle, ref: c.ref }), c.quote && ` “${shortened(c.quote, maxQuote)}”`])
    if (!inside) {
      const handles = new Set(pieces.flatMap(p => (p.handle !== undefined && p.ref === undefined ? [p.handle] : [])))
      links.push(...[...handles].map(handle => [handleLink(handle, handle, this.#known)]))
    }
    this.#cites.hidden = links.length === 0
    const list = links.map(parts => h("span", {}, ...parts))
    if (!sameLinks(this.#cites, list)) setChildren(this.#cites, [h("span", { class: "label" }, "Cites"), ...list])
  }

  #showStale(): void {
    const { stale, citations } = this.meta
    this.#stale.hidden = stale.length === 0
    setText(this.#summary, stale.length === 1 ? `Stale: ${reasonOf(stale[0]!)}` : `Stale: ${stale.length} of ${Math.max(stale.length, citations.length)} citations no longer stand`)
    setChildren(this.#marks, stale.map(mark => this.#markView(mark, stale.length > 1)))
  }

  #markView(mark: Mark, named: boolean): HTMLElement {
    return h("div", { class: "mark" }, named && h("p", {}, reasonOf(mark)), mark.diff !== "" && diffView(mark.diff))
  }
}

/** A link for a handle that stands in a text: it reads as the lines that it names, and copies as it is. */
export function handleLink(text: string, handle: string, known: Directory): HTMLElement {
  const parsed = parseHandle(handle)!
  const label = `${nameOf(parsed.kernel, parsed.context, known)}, ${linesOf(parsed)}`
  return h("a", { class: "cite handle", href: citeAddress(handle), title: handle, "data-label": label, "aria-label": `citation of ${label}` }, h("span", {}, text))
}

function nameOf(kernel: string, context: string, known: Directory): string {
  const ours = isOurs(kernel, known)
  const name = (ours && known.titleOf(context)) || shortOf(context)
  return ours ? name : `${kernel}:${name}`
}

function originOf(d: Drift, known: Directory): (HTMLElement | string)[] {
  const ours = isOurs(d.kernel, known) || known.titleOf(d.context) !== undefined
  const title = (ours && known.titleOf(d.context)) || d.title
  const name = title ? [h("span", {}, title), " ", h("code", {}, shortOf(d.context))] : [h("code", {}, shortOf(d.context) || "nowhere")]
  const place = ours ? placeOf(d.context) : ""
  const parts: (HTMLElement | string)[][] = [[`${d.kind || "drift"} from `, place ? h("a", { href: place }, ...name) : h("span", {}, ...name)]]
  if (!ours) parts[0]!.push(` of the kernel ${d.kernel}`)
  if (d.sender) parts.push([`by ${d.sender}`])
  const how = madeBy(d)
  if (how) parts.push([how])
  if (d.act) parts.push([`asks to act: ${d.act}`])
  return parts.map(part => h("span", {}, ...part))
}

/** Who worded it. */
function madeBy({ distiller, model }: Drift): string {
  if (distiller === "extractive") return "extract without a model"
  if (model) return distiller ? `written by ${model} (${distiller})` : `model ${model}`
  return distiller && `written by ${distiller}`
}

const reasonOf = ({ ref, reason }: Mark) => reasons.get(reason)?.(`[${ref}]`) ?? `[${ref}]: ${reason}`

/** Reports whether a row shows these links already, behind its label; then focus and selection inside stay. */
function sameLinks(row: HTMLElement, list: HTMLElement[]): boolean {
  return row.children.length === list.length + 1 && list.every((el, n) => el.isEqualNode(row.children[n + 1]!))
}
