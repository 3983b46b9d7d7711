// The operations of the server, as the page calls them.

/** What the server answers to what it will not do, in its own words. */
export class Refused extends Error {
  constructor(
    message: string,
    /** One of the server's kinds: not_found, invalid, conflict, denied, too_large, unavailable; "" if it named none. */
    readonly kind = "",
    /** The parameter that is at fault, "" if none is. */
    readonly field = "",
    /** How to mend it, "" if the server does not say. */
    readonly hint = "",
  ) {
    super(message)
  }
}

/** The server could not be reached, or its answer could not be read. */
export class Unreachable extends Error {}

export interface OpOptions {
  signal?: AbortSignal
  /** The context of the call: what is meant where the parameters name none. */
  context?: string
}

/** Calls an operation. It throws Refused when the server refuses and Unreachable when it cannot be reached. */
export async function op<Out, In extends object = object>(name: string, params: In, { signal, context }: OpOptions = {}): Promise<Out> {
  const aside = context === undefined ? "" : `?context=${encodeURIComponent(context)}`
  let reply: Response
  try {
    reply = await fetch(`/v1/ops/${encodeURIComponent(name)}${aside}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(params), signal: signal ?? null })
  } catch (err) {
    if (signal?.aborted) throw err
    throw new Unreachable("The server cannot be reached.")
  }
  if (!reply.ok) throw await refusal(reply)
  try {
    return (await reply.json()) as Out
  } catch (err) {
    if (signal?.aborted) throw err
    throw new Unreachable("The answer of the server cannot be read.")
  }
}

/** What a refused request says. */
async function refusal(reply: Response): Promise<Refused> {
  const said = `The server answered ${reply.status} ${reply.statusText}`.trim()
  try {
    const { error } = (await reply.json()) as { error?: unknown }
    if (typeof error === "string" && error !== "") return new Refused(error)
    if (typeof error === "object" && error !== null) {
      const { message, kind, field, hint } = error as Record<string, unknown>
      return new Refused(text(message) || said, text(kind), text(field), text(hint))
    }
  } catch {
    // Not JSON.
  }
  return new Refused(said)
}

const text = (v: unknown) => (typeof v === "string" ? v : "")
