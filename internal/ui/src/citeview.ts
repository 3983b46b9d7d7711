// A citation, opened: the exact text as it was, who wrote it, and whether it
// still stands. The server reads it, for it knows every state of a context.

import { diffView } from "./diffview"
import { placeOf, type Directory } from "./directory"
import { h, setAttr, setText } from "./dom"
import { handleIn, linesOf, parseHandle, piecesOf, shortOf } from "./handle"
import { handleLink } from "./receipt"
import { op, Refused } from "./server"

/** What citation_resolve answers. */
interface Resolved {
  handle: string
  context: string
  kernel?: string
  block_id: string
  heads: string[]
  first?: number
  last?: number
  kind: string
  author: string
  text: string
  state: "fresh" | "stale" | "deleted"
  diff?: string
  now_first?: number
  now_last?: number
}

interface Run {
  line?: number
  author: string
}

/** What the page around the dialog knows and does. */
export interface CiteHost {
  known: Directory
  /** How the cited lines began, as far as the page knows it. */
  quoteOf(handle: string): string
  /** The citation is of this block, which may be shown behind the dialog. */
  found(context: string, block: string): void
  /** The dialog was closed, and its address is the page's no longer. */
  closed(): void
}

export class CiteView {
  readonly el: HTMLDialogElement
  #host: CiteHost
  #state = h("span", { class: "state" })
  #body = h("div", { class: "body" })
  #handle = ""
  #visit = 0
  #failed = false // the server could not be reached

  constructor(host: CiteHost) {
    this.#host = host
    const close = h("button", { type: "button", class: "close", "aria-label": "Close the citation", click: () => this.el.close() }, "✕")
    this.el = h(
      "dialog",
      { class: "citation", "aria-labelledby": "citation-title", close: () => this.#closed(), click: (e: MouseEvent) => e.target === this.el && this.el.close() },
      h("div", { class: "frame" }, h("header", {}, h("h2", { id: "citation-title" }, "Citation"), this.#state, h("span", { class: "gap" }), close), this.#body),
    )
  }

  /** Opens the citation that a handle names, in place of one that is open. */
  show(handle: string): void {
    this.#handle = handle
    if (!this.el.open) this.el.showModal()
    void this.#load()
  }

  hide(): void {
    if (this.el.open) this.el.close()
  }

  /** Tries again what failed because the server was away. */
  retry(): void {
    if (this.el.open && this.#failed) void this.#load()
  }

  #closed(): void {
    this.#visit++
    if (handleIn(location.hash.slice(1)) !== null) this.#host.closed()
    if (document.activeElement !== document.body) return
    // What was clicked has been drawn anew meanwhile.
    const links = document.querySelectorAll<HTMLAnchorElement>("a.cite")
    for (const link of links) if (handleIn(link.hash.slice(1)) === this.#handle) return link.focus({ preventScroll: true })
    document.querySelector("main")?.focus({ preventScroll: true })
  }

  async #load(): Promise<void> {
    const handle = this.#handle
    const mine = ++this.#visit
    this.#failed = false
    this.#tell("", h("p", { class: "verdict", role: "status" }, "Reading…"))
    if (!parseHandle(handle)) return this.#tell("wrong", h("p", { class: "verdict", role: "alert" }, "This is not a citation. One looks like ", h("code", {}, "context/block@heads#3-7"), "."))
    try {
      const found = await op<Resolved>("citation_resolve", { handle })
      if (mine !== this.#visit) return
      const authors = h("span", {}, `${found.kind} block by ${found.author}`)
      this.#show(found, authors)
      if (!found.kernel) this.#host.found(found.context, found.block_id)
      const who = await writers(found)
      if (who && mine === this.#visit) setText(authors, `written by ${who}`)
    } catch (err) {
      if (mine === this.#visit) this.#fail(err, this.#host.quoteOf(handle))
    }
  }

  #tell(state: string, ...rest: (Node | string | false)[]): void {
    setText(this.#state, state)
    this.#state.hidden = state === ""
    setAttr(this.#state, "data-state", state)
    this.#body.replaceChildren(...rest.filter(part => part !== false))
  }

  #show(c: Resolved, authors: HTMLElement): void {
    const { known } = this.#host
    const ours = !c.kernel
    const title = (ours && known.titleOf(c.context)) || shortOf(c.context)
    const version = c.heads.map(head => head.slice(0, 8)).join(", ")
    this.#tell(
      c.state,
      h(
        "p",
        { class: "origin" },
        h("span", {}, `${linesOf(c)} of `, ours ? h("a", { href: placeOf(c.context, c.block_id) }, title) : h("span", {}, `${title} in the kernel ${c.kernel}`)),
        authors,
        h("span", { title: c.heads.join("\n") }, "as of ", h("code", {}, version)),
      ),
      this.#cited(c),
      h("p", { class: "verdict", role: "status", "data-state": c.state }, verdict(c)),
      c.state === "stale" && c.diff ? diffView(c.diff) : false,
      ours && c.state !== "deleted" && h("p", { class: "go" }, h("a", { class: "button", href: placeOf(c.context, c.block_id) }, "Go to the block")),
    )
  }

  /** The exact text; the numbers of its lines are no part of it. */
  #cited(c: Resolved): HTMLElement {
    const start = c.first ?? 1
    const lines = c.text.split("\n")
    if (lines.length > 1 && lines.at(-1) === "") lines.pop()
    const last = start + lines.length - 1
    const view = h("pre", { class: "cited", tabindex: "0", role: "group", "aria-label": "What was cited" })
    view.style.setProperty("--digits", `${String(last).length}ch`)
    lines.forEach((line, n) => view.append(h("span", { "data-line": start + n }, ...this.#linked(line), n < lines.length - 1 || c.text.endsWith("\n") ? "\n" : "")))
    return view
  }

  #linked(line: string): (HTMLElement | string)[] {
    return piecesOf(line, new Map()).map(p => (p.handle === undefined ? p.text : handleLink(p.text, p.handle, this.#host.known)))
  }

  #fail(err: unknown, quote: string): void {
    this.#failed = !(err instanceof Refused)
    const why = this.#failed ? "The server cannot be reached. It is there that the cited text is read; this goes on when it is back." : (err as Error).message
    this.#tell(this.#failed ? "offline" : "not found", h("p", { class: "verdict", role: "alert" }, why), quote !== "" && h("p", { class: "hint" }, "It began:"), quote !== "" && h("pre", { class: "cited" }, quote))
  }
}

function verdict(c: Resolved): string {
  if (c.state === "deleted") return "The block was deleted since. This is what it said."
  if (c.state === "stale") return "These lines are not as they were. What changed:"
  const now = { first: c.now_first, last: c.now_last }
  return c.first && now.first && now.first !== c.first ? `They stand as they were, now as ${linesOf(now)}.` : "They stand as they were."
}

/** Who wrote the cited lines, and which of them if there are several; "" if the server does not say. */
async function writers(c: Resolved): Promise<string> {
  if (c.kernel) return ""
  let runs: Run[]
  try {
    runs = (await op<{ runs: Run[] }>("block_blame", { context: c.context, block_id: c.block_id, at: c.heads.join(","), by: "lines", text: false })).runs
  } catch {
    return "" // who made the block stands there already
  }
  const first = c.first ?? 1
  const last = c.last || Infinity
  const lines = new Map<string, number[]>()
  for (const { line = 0, author } of runs) if (line + 1 >= first && line + 1 <= last) lines.set(author, [...(lines.get(author) ?? []), line + 1])
  if (lines.size < 2) return [...lines.keys()].join("")
  return [...lines].map(([author, at]) => `${author} (${ranges(at)})`).join(", ")
}

/** Ascending numbers as "2–4, 7". */
function ranges(numbers: number[]): string {
  const spans: [number, number][] = []
  for (const n of numbers) {
    const span = spans.at(-1)
    if (span && span[1] === n - 1) span[1] = n
    else spans.push([n, n])
  }
  return spans.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ")
}
