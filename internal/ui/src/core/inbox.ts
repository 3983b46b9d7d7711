// The letters of this person: when new ones come, and which have been read.

import { op } from "./ops"

const kernelKey = "kj.kernel"
/** How long a context must be in sight until what came to it counts as read, in milliseconds. */
const readMillis = 1000
/** What comes within this time is told once, in milliseconds. */
const gatherMillis = 150

export class Inbox {
  /** The name of the server's kernel, "" as long as it is not known. */
  kernel = stored()
  #changed: () => void
  #events: EventSource | null = null
  #connected = false
  #told = 0
  #reading = ""

  /** `changed` is called when there may be other numbers of unread letters than before. */
  constructor(changed: () => void) {
    this.#changed = changed
    document.addEventListener("visibilitychange", () => this.#listen())
  }

  /** Says whether the server can be reached. */
  connected(yes: boolean): void {
    this.#connected = yes
    this.#listen()
  }

  /** Notes that the letters of a context were read, when it has been in sight for a moment. */
  inSight(context: string, still: () => boolean): void {
    if (this.#reading === context) return
    this.#reading = context
    setTimeout(() => void this.#read(context, still), readMillis)
  }

  async #read(context: string, still: () => boolean): Promise<void> {
    try {
      if (document.hidden || !still()) return
      await op("drift_inbox", { context, read: true, limit: 1 })
      this.#changed()
    } catch {
      // They stay unread; the next list of contexts asks again.
    } finally {
      if (this.#reading === context) this.#reading = ""
    }
  }

  /** Follows the events while somebody looks: a browser has few connections for all its tabs. */
  #listen(): void {
    const want = this.#connected && !document.hidden
    if (want === (this.#events !== null)) return
    this.#events?.close()
    this.#events = null
    if (!want) return
    this.#events = new EventSource("/v1/events?pattern=" + encodeURIComponent("ctx.*.drift.>"))
    this.#events.addEventListener("hello", e => this.#hello(e.data))
    for (const name of ["hello", "reset", "drift.delivered"]) this.#events.addEventListener(name, () => this.#tell())
  }

  #hello(data: string): void {
    const { kernel } = JSON.parse(data) as { kernel?: unknown }
    if (typeof kernel !== "string") return
    this.kernel = kernel
    try {
      localStorage.setItem(kernelKey, kernel)
    } catch {
      // Full: it is asked for anew.
    }
  }

  #tell(): void {
    clearTimeout(this.#told)
    this.#told = window.setTimeout(this.#changed, gatherMillis)
  }
}

function stored(): string {
  try {
    return localStorage.getItem(kernelKey) ?? ""
  } catch {
    return ""
  }
}
