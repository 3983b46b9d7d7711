// The list of contexts, and the button that makes one.

import { h, setAttr, setText } from "./dom"

const refreshMillis = 3000
const cacheKey = "kj.contexts"

interface Entry {
  id: string
  title: string
  url: string
  blocks: number
}

export class Sidebar {
  readonly el: HTMLElement
  #list = h("ul", {})
  #note = h("p", { class: "note", role: "status" })
  #form: HTMLFormElement
  #name = h("input", { "aria-label": "Title of the new context", placeholder: "Title", maxlength: "200", autocomplete: "off" })
  #button: HTMLButtonElement
  #entries: Entry[] = []
  #links = new Map<string, { el: HTMLLIElement; link: HTMLAnchorElement; title: HTMLElement; count: HTMLElement }>()
  #current = ""
  #own: { url: string; title: string; blocks: number } | null = null // the document that is shown, newer than any list
  /** Called when the list has been fetched. */
  onList: (count: number) => void = () => {}

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
      const reply = await fetch("/v1/contexts")
      if (!reply.ok) {
        setText(this.#note, await problem(reply))
        return
      }
      const entries: unknown = await reply.json()
      setText(this.#note, "")
      this.#take(entries)
      localStorage.setItem(cacheKey, JSON.stringify(this.#entries))
      this.onList(this.#entries.length)
    } catch {
      // Offline: the last list stands, and the light in the corner says so.
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
      seen.add(url)
      let entry = this.#links.get(url)
      if (!entry) {
        const parts = { title: h("span", { class: "name" }), count: h("span", { class: "count" }) }
        const link = h("a", { href: "#" + url }, parts.title, parts.count)
        entry = { el: h("li", {}, link), link, ...parts }
        this.#links.set(url, entry)
      }
      setText(entry.title, title || "Untitled")
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
      const reply = await fetch("/v1/ops/context_create", { method: "POST", body: JSON.stringify({ title: this.#name.value.trim() }) })
      if (!reply.ok) {
        setText(this.#note, await problem(reply))
        return
      }
      const { url } = (await reply.json()) as { url: string }
      this.#name.value = ""
      this.#openForm(false)
      await this.refresh()
      location.hash = url
    } catch {
      setText(this.#note, "The server cannot be reached; a context is made there.")
    }
  }
}

/** What a refused request says, for people. */
async function problem(reply: Response): Promise<string> {
  try {
    const { error } = (await reply.json()) as { error?: { message?: string } | string }
    const message = typeof error === "string" ? error : error?.message
    if (message) return message
  } catch {
    // Not JSON.
  }
  return `The server answered ${reply.status} ${reply.statusText}`.trim()
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
