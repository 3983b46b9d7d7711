// The saved light of a context: typing, sending, saved, offline, told
// truthfully and without asking the engine more than a keystroke can bear.

import type { DocHandle } from "@automerge/automerge-repo/slim"
import type { Link } from "./link"
import { isMadeHere, watchMade } from "./local"
import type { ContextModel } from "./model"
import { Acknowledged, isSaved } from "./acknowledged"
import { Rescue } from "./rescue"

/** What the light shows. */
export interface Light {
  state: "connected" | "typing" | "sending" | "saved" | "offline" | "refused"
  text: string
  /** Changes that the server has not acknowledged, as far as this browser knows. */
  unsent: number
}

/** So long after a keystroke somebody types. */
const typingMillis = 300
/** What is written within this time is counted once. */
const gatherMillis = 50

/** Tells the pages of one browser apart. */
const page = Math.random().toString(36).slice(2)

/** What the servers have acknowledged, as this browser remembers it. */
const storage = typeof localStorage === "undefined" ? null : localStorage
export const acknowledged = new Acknowledged(storage)

/** Follows what of a document is saved, for as long as the page is open: also when nobody looks at it any more. */
class Tracker {
  light: Light
  readonly #handle: DocHandle<any>
  readonly #link: Link
  readonly #listeners = new Set<(light: Light) => void>()
  readonly #rescue: Rescue
  #typedAt = -Infinity
  #timer: ReturnType<typeof setTimeout> | undefined
  #due = 0

  constructor(handle: DocHandle<any>, link: Link) {
    this.#handle = handle
    this.#link = link
    watchMade(handle)
    this.#rescue = new Rescue(handle, page, storage)
    this.light = this.#find()
    handle.on("heads-changed", this.#written)
    handle.on("remote-heads", () => this.#soon(gatherMillis))
    link.onChange(this.#look)
    if (typeof window === "undefined") return
    // A hidden page may be ended without another word.
    const keep = () => this.#rescue.keep(this.light.state === "saved")
    window.addEventListener("pagehide", keep)
    document.addEventListener("visibilitychange", () => document.hidden && keep())
  }

  subscribe(fn: (light: Light) => void): () => void {
    this.#listeners.add(fn)
    return () => this.#listeners.delete(fn)
  }

  readonly #written = (): void => {
    const local = isMadeHere(this.#handle)
    this.#rescue.changed(local)
    if (local) {
      this.#typedAt = performance.now()
      acknowledged.mark(this.#handle.documentId, true)
      // At once: what was just written is not saved, whatever the count is.
      const unsent = this.light.unsent + 1
      this.#show(this.#link.connected ? { state: "typing", text: "typing…", unsent } : offline(unsent, this.#link))
    }
    this.#soon(gatherMillis)
  }

  readonly #look = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#show(this.#find())
  }

  /** Looks within so many milliseconds; what happens meanwhile does not put that off. */
  #soon(millis: number): void {
    const due = performance.now() + millis
    if (this.#timer !== undefined && this.#due <= due) return
    clearTimeout(this.#timer)
    this.#due = due
    this.#timer = setTimeout(this.#look, millis)
  }

  #find(): Light {
    const { connected, server, refusal } = this.#link
    if (!this.#handle.isReady()) return connection(this.#link)
    if (server) acknowledged.note(this.#handle, server)
    if (connected && isSaved(this.#handle, server)) {
      acknowledged.mark(this.#handle.documentId, false)
      return { state: "saved", text: "saved", unsent: 0 }
    }
    const unsent = acknowledged.unsent(this.#handle)
    acknowledged.mark(this.#handle.documentId, unsent > 0)
    if (!connected) return offline(unsent, this.#link)
    if (refusal !== "") return { state: "refused", text: `refused: ${refusal}`, unsent }
    const typing = typingMillis - (performance.now() - this.#typedAt)
    if (typing <= 0) return { state: "sending", text: "sending…", unsent }
    this.#soon(typing)
    return { state: "typing", text: "typing…", unsent }
  }

  #show(light: Light): void {
    const was = this.light
    if (was.state === light.state && was.unsent === light.unsent && was.text === light.text) return
    this.light = light
    for (const fn of [...this.#listeners]) fn(light)
  }
}

const offline = (unsent: number, { trouble }: Link): Light => ({ state: "offline", text: `offline (${unsent} unsent${trouble && unsent > 0 ? ", not kept" : ""})`, unsent })

/** The light where no document is shown. */
const connection = ({ connected }: Link): Light => (connected ? { state: "connected", text: "connected", unsent: 0 } : { state: "offline", text: "offline", unsent: 0 })

const trackers = new WeakMap<DocHandle<any>, Tracker>()

/** Begins to follow what of a document is saved. */
export function track(handle: DocHandle<any>, link: Link): Tracker {
  let tracker = trackers.get(handle)
  if (!tracker) trackers.set(handle, (tracker = new Tracker(handle, link)))
  return tracker
}

/** The light of a context, or of the connection alone. */
export const lightOf = (model: ContextModel | null, link: Link): Light => (model ? track(model.handle, link).light : connection(link))

/** Calls `fn` with the light whenever it changes; returns how to stop. */
export function watchLight(model: ContextModel | null, link: Link, fn: (light: Light) => void): () => void {
  fn(lightOf(model, link))
  return model ? track(model.handle, link).subscribe(fn) : link.onChange(() => fn(connection(link)))
}

/** Opens the documents that were left with unsent changes, so that these reach the server although nobody looks. */
export async function uploadForgotten(link: Link): Promise<void> {
  for (const id of acknowledged.marked()) {
    try {
      track(await link.repo.find(`automerge:${id}` as never, { allowableStates: ["ready", "unavailable"] }), link)
    } catch {
      // Marked by something else, or deleted meanwhile.
    }
  }
}
