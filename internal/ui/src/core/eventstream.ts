// One stream of /v1/events, opened anew when it breaks, from where it was.

/** The names of the events that the page hears. */
export const types = [
  ...["inserted", "text", "status", "moved", "deleted", "meta", "flags"].map(t => `block.${t}`),
  ...["created", "renamed", "forked", "advanced", "archived", "restored", "deleted"].map(t => `context.${t}`),
  ...["joined", "left", "status", "presence"].map(t => `seat.${t}`),
  ...["request", "answered"].map(t => `elicitation.${t}`),
  ...["staged", "delivered", "cancelled", "failed"].map(t => `drift.${t}`),
  ...["commit.made", "resource.updated", "resource.list_changed", "config.changed", "progress.update", "log.message", "node.joined", "node.left"],
]

const firstWaitMillis = 1000
const maxWaitMillis = 30_000

export class Stream {
  readonly pattern: string
  readonly #onEvent: (event: Record<string, unknown>, id: string) => void
  readonly #onReset: () => void
  #source: EventSource | null = null
  #since: string
  #wait = firstWaitMillis
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(pattern: string, since: string, onEvent: (event: Record<string, unknown>, id: string) => void, onReset: () => void) {
    this.pattern = pattern
    this.#since = since
    this.#onEvent = onEvent
    this.#onReset = onReset
    this.#open()
  }

  /** Ends the stream; returns from where another one may go on. */
  close(): string {
    clearTimeout(this.#timer)
    this.#source?.close()
    this.#source = null
    return this.#since
  }

  #open(): void {
    const resumed = this.#since !== ""
    const source = new EventSource(`/v1/events?pattern=${encodeURIComponent(this.pattern)}${resumed ? `&since=${encodeURIComponent(this.#since)}` : ""}`)
    this.#source = source
    source.addEventListener("hello", e => {
      this.#note(e)
      this.#wait = firstWaitMillis
    })
    source.addEventListener("reset", e => {
      this.#note(e)
      this.#onReset()
    })
    source.addEventListener("end", e => this.#ended(e))
    for (const type of types) {
      source.addEventListener(type, e => {
        this.#note(e)
        const event = parsed(e.data)
        if (event) this.#onEvent(event, e.lastEventId)
      })
    }
    // A stream that breaks is opened again by the browser; one that is refused is not.
    source.addEventListener("error", () => {
      if (source.readyState === EventSource.CLOSED && source === this.#source) this.#again(false)
    })
  }

  #note(e: MessageEvent): void {
    if (e.lastEventId !== "") this.#since = e.lastEventId
  }

  /** The server ends the stream, and says where to go on. */
  #ended(e: MessageEvent): void {
    const since = parsed(e.data)?.since
    if (typeof since === "string" && since !== "") this.#since = since
    this.#again(true)
  }

  #again(known: boolean): void {
    this.#source?.close()
    this.#source = null
    // Refused: perhaps for where it was to go on. Then everything is read anew.
    const lost = !known && this.#since !== ""
    if (lost) this.#since = ""
    this.#timer = setTimeout(() => {
      this.#open()
      if (lost) this.#onReset()
    }, this.#wait * (1 + Math.random() / 2))
    this.#wait = Math.min(maxWaitMillis, this.#wait * 2)
  }
}

function parsed(data: unknown): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(String(data))
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}
