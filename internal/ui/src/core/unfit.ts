// Telling a person why an edit was not made.

/** Why an edit cannot be made, in words for people. */
export class Unfit extends Error {}

const listeners = new Set<(why: Error) => void>()

/** Calls `fn` with why an edit was not made. */
export function onUnfit(fn: (why: Error) => void): () => void {
  listeners.add(fn)
  return () => listeners.delete(fn)
}

/** Makes an edit; one that cannot be made is told and gives `otherwise`. */
export function attempt<Out>(otherwise: Out, edit: () => Out): Out {
  try {
    return edit()
  } catch (err) {
    const why = err instanceof Unfit ? err : new Unfit(`This could not be done: ${err instanceof Error ? err.message : String(err)}`)
    for (const fn of [...listeners]) fn(why)
    return otherwise
  }
}
