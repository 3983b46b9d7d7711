// The operations of the server, as this page calls them.

/** What the server answers to what it will not do, in its own words. */
export class Refused extends Error {}

/**
 * Calls an operation. It throws Refused when the server refuses, and what fetch
 * throws when the server cannot be reached.
 */
export async function op<Result>(name: string, params: object): Promise<Result> {
  const reply = await fetch(`/v1/ops/${name}`, { method: "POST", body: JSON.stringify(params) })
  if (!reply.ok) throw new Refused(await problem(reply))
  return (await reply.json()) as Result
}

/** What a refused request says, for people. */
export async function problem(reply: Response): Promise<string> {
  try {
    const { error } = (await reply.json()) as { error?: { message?: string } | string }
    const message = typeof error === "string" ? error : error?.message
    if (message) return message
  } catch {
    // Not JSON.
  }
  return `The server answered ${reply.status} ${reply.statusText}`.trim()
}
