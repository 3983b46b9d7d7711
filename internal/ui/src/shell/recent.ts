// What was opened or done last, for the palette and the first page.

import { preference } from "../parts"

const maxRecent = 30

const stored = preference<string[]>("kj.recent", [], (v): v is string[] => Array.isArray(v) && v.every(r => typeof r === "string"))

/** Notes that something was opened or done: the address of a context, or the id of a command. */
export function noteRecent(what: string): void {
  if (stored.get()[0] !== what) stored.set([what, ...stored.get().filter(r => r !== what)].slice(0, maxRecent))
}

/** What was noted, newest first. */
export const recent = (): readonly string[] => stored.get()
