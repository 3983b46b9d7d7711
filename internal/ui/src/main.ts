// The page: contexts on the left, the one named in the address on the right.

import * as A from "@automerge/automerge/slim"
import { initializeWasm, isValidAutomergeUrl, parseAutomergeUrl, type AutomergeUrl, type DocHandle } from "@automerge/automerge-repo/slim"
import wasm from "@automerge/automerge/automerge.wasm"
import { Actors } from "./actors"
import { CiteView } from "./citeview"
import { ContextView, type View } from "./contextview"
import { placeOf } from "./directory"
import { h, oncePerFrame, setAttr, setText } from "./dom"
import { decoded, handleIn } from "./handle"
import { JSONView } from "./jsonview"
import { Link } from "./link"
import { Acknowledged, light } from "./saved"
import { isContext } from "./schema"
import { Sidebar } from "./sidebar"

const sidebar = new Sidebar()
const stage = h("main", { id: "stage", tabindex: "-1" })
const lamp = h("output", { class: "light", "data-state": "starting", "aria-live": "polite" }, "starting…")
const refusal = h("p", { class: "refusal", role: "alert", hidden: true })
const menu = h("button", { type: "button", class: "menu", "aria-label": "Contexts", "aria-expanded": "false", click: () => openMenu(!document.body.classList.contains("menu-open")) }, "☰")

function openMenu(open: boolean): void {
  document.body.classList.toggle("menu-open", open)
  setAttr(menu, "aria-expanded", String(open))
}

document.body.append(h("a", { class: "skip", href: "#stage", click: skip }, "Skip to the document"), sidebar.el, h("div", { class: "bar" }, menu, refusal, lamp), stage)

function skip(e: Event): void {
  e.preventDefault()
  stage.focus()
}

function notice(title: string, ...rest: (Node | string)[]): HTMLElement {
  return h("section", { class: "notice" }, h("h1", {}, title), ...rest)
}

/** Runs the page once the engine is there. */
function run(): void {
  const link = new Link(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/sync`)
  const acknowledged = new Acknowledged(localStorage)
  const actors = new Actors()
  let shown: DocHandle<unknown> | null = null
  let view: View | null = null
  let visit = 0
  let address: string | null = null // of what is shown, behind a citation too
  let wanted = "" // the block that is to be seen in it

  const showLight = oncePerFrame(() => {
    const { connected, server } = link
    setText(refusal, link.refusal)
    refusal.hidden = link.refusal === ""
    const doc = shown
    if (!doc?.isReady()) {
      setAttr(lamp, "data-state", connected ? "connected" : "offline")
      setText(lamp, connected ? "connected" : "offline")
      return
    }
    if (server) acknowledged.note(doc, server)
    const now = light(connected, doc.heads(), server ? doc.getSyncInfo(server)?.lastHeads : undefined, () => acknowledged.unsent(doc))
    acknowledged.mark(doc.documentId, now.unsent > 0)
    setAttr(lamp, "data-state", now.state)
    setAttr(lamp, "data-unsent", String(now.unsent))
    setText(lamp, now.text)
  })

  const show = (next: View | HTMLElement) => {
    view?.close()
    view = next instanceof HTMLElement ? null : next
    stage.replaceChildren(next instanceof HTMLElement ? next : next.el)
    showLight()
  }

  const present = (handle: DocHandle<unknown>) => {
    const context = isContext(handle.doc())
    show(context ? new ContextView(handle as DocHandle<any>, actors, sidebar) : new JSONView(handle))
    stage.scrollTop = 0
    reveal()
    sidebar.markRead()
  }

  const reveal = () => {
    if (wanted !== "" && view instanceof ContextView && view.reveal(wanted)) wanted = ""
  }

  const changed = () => {
    const doc = shown?.isReady() ? shown.doc() : null
    if (!shown || !doc) return queueMicrotask(() => shown?.isReady() && changed()) // a first arrival is told before the handle is ready
    if (!view || isContext(doc) !== view instanceof ContextView) present(shown) // it arrived, or became a context
    if (isContext(doc)) {
      document.title = `${doc.title || "Untitled"} · Kaijutsu`
      retitle()
      reveal()
    } else document.title = "Document · Kaijutsu"
    showLight()
  }
  const retitle = oncePerFrame(() => {
    const doc = shown?.isReady() ? shown.doc() : null
    if (shown && isContext(doc) && view instanceof ContextView) sidebar.retitle(shown.url, String(doc.title ?? ""), view.length)
  })
  const written = () => {
    // A change made here: its actor is this browser.
    if (shown?.isReady()) actors.mine(A.getActorId(shown.doc() as A.Doc<unknown>))
  }
  document.addEventListener("input", written, true)

  const leave = () => {
    shown?.off("change", changed)
    shown?.off("heads-changed", showLight)
    shown?.off("remote-heads", showLight)
    shown = null
  }

  const open = async (next: string) => {
    const [url = "", block = ""] = next.split("/")
    const here = url !== "" && url === address?.split("/")[0]
    address = next
    wanted = block
    openMenu(false)
    if (here) return reveal() // another block of what is shown
    const mine = ++visit
    leave()
    sidebar.select(url)
    if (url === "") {
      document.title = "Kaijutsu"
      show(welcome())
      return
    }
    if (!isValidAutomergeUrl(url)) {
      show(notice("This is not a document's address", h("p", {}, "An address looks like ", h("code", {}, "automerge:2j9…"), "; this one has a mistake in it.")))
      return
    }
    show(notice("Opening…"))
    const handle = await link.repo.find<unknown>(bare(url), { allowableStates: ["ready", "unavailable"] })
    if (mine !== visit) return
    shown = handle
    handle.on("change", changed)
    handle.on("heads-changed", showLight)
    handle.on("remote-heads", showLight)
    if (handle.isReady()) {
      changed()
    } else {
      show(link.connected ? notice("Nobody has this document", h("p", {}, "The server does not know it. It appears here as soon as somebody brings it.")) : notice("Not in this browser", h("p", {}, "The server cannot be reached, and this document was never opened here. It appears when the server is back.")))
    }
  }

  const citation = new CiteView({
    known: sidebar,
    quoteOf: handle => (view instanceof ContextView ? view.quoteOf(handle) : ""),
    found: (context, block) => {
      if (address === null) void open(placeOf(context, block).slice(1)) // the citation was the first to be opened: show what it is from
    },
    closed: () => {
      history.replaceState(null, "", "#" + (address ?? ""))
      if (address === null) void open("")
    },
  })
  document.body.append(citation.el)

  const route = () => {
    const next = location.hash.slice(1)
    const handle = handleIn(next)
    if (handle === null) {
      citation.hide()
      if (decoded(next) !== address) void open(decoded(next))
      return
    }
    if (address === null) show(notice("A citation"))
    citation.show(handle)
  }

  sidebar.onList = renamed => {
    const { unread } = sidebar
    setAttr(menu, "data-unread", unread > 0 ? String(unread) : null)
    setAttr(menu, "aria-label", unread > 0 ? `Contexts, ${unread} unread` : "Contexts")
    if (renamed && view instanceof ContextView) view.named()
    if (view instanceof ContextView && !document.hidden) sidebar.markRead()
  }
  link.onChange(() => {
    sidebar.inbox.connected(link.connected)
    if (link.connected) {
      void sidebar.refresh()
      citation.retry()
    }
    showLight()
  })
  window.addEventListener("hashchange", route)
  route()
  void uploadForgotten(link, acknowledged)
  // For people who look under the hood, and for tests.
  Object.assign(window, { kaijutsu: { repo: link.repo, link, A } })
}

/** The address without heads: the page shows documents as they are now. */
function bare(url: string): AutomergeUrl {
  return `automerge:${parseAutomergeUrl(url as AutomergeUrl).documentId}` as AutomergeUrl
}

/** Opens the documents that were left with unsent changes, so that these reach the server although nobody looks. */
async function uploadForgotten(link: Link, acknowledged: Acknowledged): Promise<void> {
  for (const id of acknowledged.marked()) {
    const handle = await link.repo.find<unknown>(`automerge:${id}` as AutomergeUrl, { allowableStates: ["ready", "unavailable"] })
    handle.on("remote-heads", () => {
      if (!link.server || !handle.isReady()) return
      acknowledged.note(handle, link.server)
      acknowledged.mark(id, acknowledged.unsent(handle) > 0)
    })
  }
}

function welcome(): HTMLElement {
  return notice(
    "Where people and agents write together",
    h("p", {}, "A context is a document of blocks. Everyone who opens it sees it change as it is written, and what a server has said is saved is on its disk."),
    h("p", {}, h("button", { type: "button", class: "primary", click: () => sidebar.create() }, "Make a context"), " or, in a terminal:"),
    h("pre", {}, h("code", {}, 'kj ctx new "My first context"\nkj block append "My first context" "Hello"')),
    h("p", { class: "hint" }, "Any automerge-repo client may join at ", h("code", {}, `${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/sync`), "."),
  )
}

if ("serviceWorker" in navigator) void navigator.serviceWorker.register("/sw.js").catch(() => {}) // refused: the page works, but only with the server there

show0("Loading…")
initializeWasm(wasm).then(run, (err: unknown) => show0("The page could not start", String(err)))

function show0(title: string, detail = ""): void {
  stage.replaceChildren(notice(title, h("p", {}, detail)))
}
