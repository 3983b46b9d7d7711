// Waiting: always for a condition, always with a deadline.

/** Resolves to the first truthy value of `check`, asked every few milliseconds; rejects after `ms`, saying what was awaited. */
export async function until(check, what, ms = 30_000) {
  const deadline = performance.now() + ms
  let last
  for (;;) {
    try {
      const value = await check()
      if (value) return value
      last = value
    } catch (err) {
      last = err
    }
    if (performance.now() > deadline) throw new Error(`waited ${ms} ms for ${await describe(what)}${last instanceof Error ? `: ${last.message}` : ""}`)
    await new Promise(next => setTimeout(next, 5))
  }
}

const describe = what => (typeof what === "function" ? what() : what)

/** Rejects if the promise takes longer than `ms`. */
export function within(promise, what, ms = 30_000) {
  let timer
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${ms} ms for ${describe(what)}`)), ms)
  })
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

/** Lets other work run for one turn of the event loop. */
export const turn = () => new Promise(next => setImmediate(next))

/** Spaces out work that is itself under test (typing, load); never used to wait for a result. */
export const pace = ms => new Promise(next => setTimeout(next, ms))
