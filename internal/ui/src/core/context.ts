// Opening a context: its first rows as the server lists them, until the
// document itself is there.

import * as A from "@automerge/automerge/slim"
import { isValidAutomergeUrl, parseAutomergeUrl, type AutomergeUrl, type DocHandle } from "@automerge/automerge-repo/slim"
import { actors } from "./actors"
import { uuidOf } from "./directory"
import { nextFrame } from "./frame"
import { track } from "./saved"
import type { Link } from "./link"
import { ContextModel } from "./model"
import { previewOf, type Preview } from "./preview"
import { isContext, type ContextDoc } from "./schema"

export type { Preview } from "./preview"

export interface Opened {
  /** unavailable: nobody has it now; it becomes ready when somebody brings it. notcontext: `handle` holds something else. */
  readonly state: "loading" | "ready" | "unavailable" | "notcontext"
  /** The first blocks while the document comes; null when there is none to show. */
  readonly preview: readonly Preview[] | null
  readonly model: ContextModel | null
  /** The document's handle, once it was found or not. */
  readonly handle: DocHandle<unknown> | null
  subscribe(fn: () => void): () => void
  close(): void
}

/**
 * Reading a large document stops the page for seconds, so what the server
 * lists is shown first; for so long it is waited for.
 */
const previewMillis = 300

/** Opens the document at an address as a context; heads in the address are left out. */
export const openContext = (link: Link, url: string): Opened => new Opening(link, url)

class Opening implements Opened {
  state: Opened["state"] = "loading"
  preview: readonly Preview[] | null = null
  model: ContextModel | null = null
  handle: DocHandle<unknown> | null = null
  readonly #link: Link
  readonly #listeners = new Set<() => void>()
  readonly #stop = new AbortController()
  #unwatch = () => {}

  constructor(link: Link, url: string) {
    this.#link = link
    if (!isValidAutomergeUrl(url)) this.state = "unavailable"
    else void this.#open(`automerge:${parseAutomergeUrl(url).documentId}` as AutomergeUrl)
  }

  subscribe(fn: () => void): () => void {
    this.#listeners.add(fn)
    return () => this.#listeners.delete(fn)
  }

  close(): void {
    this.#stop.abort()
    this.handle?.off("change", this.#changed)
    this.#drop()
    this.#listeners.clear()
  }

  async #open(url: AutomergeUrl): Promise<void> {
    const { repo } = this.#link
    const known = repo.handles[parseAutomergeUrl(url).documentId]
    if (!known?.isReady()) await this.#showPreview(url)
    if (this.#stop.signal.aborted) return
    try {
      this.handle = await repo.find<unknown>(url, { allowableStates: ["ready", "unavailable"], signal: this.#stop.signal })
    } catch {
      if (this.#stop.signal.aborted) return
      return this.#become("unavailable") // deleted here
    }
    if (this.#stop.signal.aborted) return
    this.handle.on("change", this.#changed)
    if (this.handle.isReady()) this.#arrive()
    else this.#become("unavailable")
  }

  /** Shows what the server lists; resolves when that is on the screen, or will not be soon. */
  async #showPreview(url: AutomergeUrl): Promise<void> {
    const { signal } = this.#stop
    const shown = previewOf(uuidOf(url), signal).then(async rows => {
      if (signal.aborted || !rows || this.model) return
      this.preview = rows
      this.#tell()
      await new Promise<void>(resolve => nextFrame(() => nextFrame(resolve)))
    })
    await Promise.race([shown, new Promise(resolve => setTimeout(resolve, previewMillis))])
  }

  readonly #changed = (): void => {
    if (this.handle?.isReady()) this.#arrive()
    else queueMicrotask(() => !this.#stop.signal.aborted && this.handle?.isReady() && this.#arrive()) // a first arrival is told before the handle is ready
  }

  /** The document is there, or is another than it was. */
  #arrive(): void {
    const handle = this.handle as DocHandle<ContextDoc>
    const context = isContext(handle.doc())
    if (context === (this.model !== null) && this.state !== "loading" && this.state !== "unavailable") return
    this.#drop()
    if (context) {
      this.model = new ContextModel(handle)
      track(handle, this.#link)
      this.#unwatch = this.model.onPatches((_, { local }) => local && actors.mine(A.getActorId(handle.doc() as A.Doc<ContextDoc>)))
    }
    this.preview = null
    this.#become(context ? "ready" : "notcontext")
  }

  #drop(): void {
    this.#unwatch()
    this.model?.close()
    this.model = null
  }

  #become(state: Opened["state"]): void {
    this.state = state
    this.#tell()
  }

  #tell(): void {
    for (const fn of [...this.#listeners]) fn()
  }
}
