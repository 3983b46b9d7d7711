// The list of contexts, and the button that makes one.

import { placeOf, type Directory } from "./directory"
import { h, setAttr, setText } from "./dom"
import { Inbox } from "./inbox"
import { op, problem, Refused } from "./server"

const refreshMillis = 3000
const cacheKey = "kj.contexts"

interface Entry {
  id: string
  title: string
  url: string
  blocks: number
  /** Drifts that came and that this person has not read. */
  unread?: number
}

interface Row {
  el: HTMLLIElement
  link: HTMLAnchorElement
  title: HTMLElement
  unread: HTMLElement
  count: HTMLElement
}

export class Sidebar implements Directory {
  readonly el: HTMLElement
  readonly inbox = new Inbox(() => void this.refresh())
  #list = h("ul", {})
  #note = h("p", { class: "note", role: "status" })
  #form: HTMLFormElement
  #name = h("input", { "aria-label": "Title of the new context", placeholder: "Title", maxlength: "200", autocomplete: "off" })
  #button: HTMLButtonElement
  #entries: Entry[] = []
  #links = new Map<string, Row>()
  #names = ""
  #current = ""
  #own: { url: string; title: string; blocks: number } | null = null // the document that is shown, newer than any list
  /** Called when the list has been fetched; `renamed` says that a context, or the kernel, is called otherwise than before. */
  onList: (renamed: boolean) => void = () => {}

  constructor() {
    this.#button = h("button", { type: "button", class: "primary", "aria-expanded": "false", click: () => this.#openForm(this.#form.hidden) }, "New context")
    this.#form = h(
      "form",
      { class: "new", hidden: true, submit: (e: SubmitEvent) => void this.#create(e), keydown: (e: KeyboardEvent) => e.key === "Escape" && this.#openForm(false) },
      this.#name,
      h("button", { type: "submit", class: "primary" }, "Create"),
    )
    this.el = h("nav", { class: "sidebar", "aria-label": "Contexts" }, h("div", { class: "brand" }, logo(), "Kaijutsu"), this.#button, this.#form, this.#note, this.#list)
    try {
      this.#take(JSON.parse(localStorage.getItem(cacheKey) ?? "[]"))
    } catch {
      // Not ours: wait for the server.
    }
    void this.refresh()
    setInterval(() => !document.hidden && void this.refresh(), refreshMillis)
    document.addEventListener("visibilitychange", () => !document.hidden && void this.refresh())
  }

  get kernel(): string {
    return this.inbox.kernel
  }

  /** How many drifts of all contexts this person has not read. */
  get unread(): number {
    return this.#entries.reduce((sum, e) => sum + (e.unread ?? 0), 0)
  }

  titleOf(id: string): string | undefined {
    const entry = this.#entries.find(e => e.id === id)
    return entry && (entry.title || "Untitled")
  }

  /** Notes that what came to the document that is shown has been read, if it goes on being shown. */
  markRead(): void {
    const shown = this.#entries.find(e => e.url === this.#current)
    if (shown?.unread) this.inbox.inSight(shown.id, () => this.#current === shown.url)
  }

  /** Marks the document that is shown. */
  select(url: string): void {
    if (url !== "" && url !== this.#current && !this.#links.has(url)) void this.refresh() // made a moment ago, elsewhere
    this.#current = url
    if (this.#own?.url !== url) this.#own = null
    for (const [id, { link }] of this.#links) setAttr(link, "aria-current", id === url ? "page" : null)
  }

  /** Shows at once what the server will list of the shown document a moment later. */
  retitle(url: string, title: string, blocks: number): void {
    this.#own = { url, title, blocks }
    this.#show()
  }

  /** Opens the form for a new context. */
  create(): void {
    this.#openForm(true)
  }

  async refresh(): Promise<void> {
    try {
      const entries = await fetched()
      setText(this.#note, "")
      this.#take(entries)
      localStorage.setItem(cacheKey, JSON.stringify(this.#entries))
      const names = JSON.stringify([this.kernel, ...this.#entries.flatMap(e => [e.id, e.title])])
      this.onList(names !== this.#names)
      this.#names = names
    } catch (err) {
      if (err instanceof Refused) setText(this.#note, err.message)
      // Else offline: the last list stands, and the light in the corner says so.
    }
  }

  #take(entries: unknown): void {
    if (!Array.isArray(entries)) return
    this.#entries = entries.filter((e): e is Entry => typeof e?.url === "string" && e.url.startsWith("automerge:"))
    this.#show()
  }

  #show(): void {
    const seen = new Set<string>()
    let next = this.#list.firstElementChild
    for (const listed of [...this.#entries].reverse()) {
      const { url, title, blocks } = this.#own?.url === listed.url ? this.#own : listed
      const unread = listed.unread ?? 0
      seen.add(url)
      let entry = this.#links.get(url)
      if (!entry) {
        const parts = { title: h("span", { class: "name" }), unread: h("span", { class: "unread", role: "img", hidden: true }), count: h("span", { class: "count" }) }
        const link = h("a", { href: "#" + url }, parts.title, parts.unread, parts.count)
        entry = { el: h("li", {}, link), link, ...parts }
        this.#links.set(url, entry)
      }
      setText(entry.title, title || "Untitled")
      setText(entry.unread, String(unread))
      setAttr(entry.unread, "title", `${unread} unread drift${unread === 1 ? "" : "s"}`)
      setAttr(entry.unread, "aria-label", `${unread} unread`)
      entry.unread.hidden = unread === 0
      setText(entry.count, String(blocks ?? ""))
      setAttr(entry.count, "title", `${blocks} block${blocks === 1 ? "" : "s"}`)
      if (entry.el === next) next = next.nextElementSibling
      else this.#list.insertBefore(entry.el, next)
    }
    for (const [url, { el }] of this.#links) {
      if (seen.has(url)) continue
      el.remove()
      this.#links.delete(url)
    }
    this.select(this.#current)
  }

  #openForm(open: boolean): void {
    this.#form.hidden = !open
    setAttr(this.#button, "aria-expanded", String(open))
    if (open) this.#name.focus()
    else this.#button.focus()
  }

  async #create(e: SubmitEvent): Promise<void> {
    e.preventDefault()
    try {
      const { url } = await op<{ url: string }>("context_create", { title: this.#name.value.trim() })
      this.#name.value = ""
      this.#openForm(false)
      await this.refresh()
      location.hash = url
    } catch (err) {
      setText(this.#note, err instanceof Refused ? err.message : "The server cannot be reached; a context is made there.")
    }
  }
}

/** The contexts as the server lists them, with what is unread where the person may ask for that. */
async function fetched(): Promise<unknown> {
  try {
    const { contexts } = await op<{ contexts: Entry[] }>("drift_list", {})
    return contexts.map(e => ({ ...e, url: placeOf(e.id).slice(1) }))
  } catch (err) {
    if (!(err instanceof Refused)) throw err
    const reply = await fetch("/v1/contexts")
    if (!reply.ok) throw new Refused(await problem(reply))
    return reply.json()
  }
}

/** The mark: two strokes that meet. */
function logo(): Element {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg")
  svg.setAttribute("viewBox", "0 0 24 24")
  svg.setAttribute("aria-hidden", "true")
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path")
  path.setAttribute("d", "M4 5c6 0 6 14 16 14M4 19c6 0 6-14 16-14")
  svg.append(path)
  return svg
}
