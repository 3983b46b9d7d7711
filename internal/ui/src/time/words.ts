// What points and moments are called.

import { own } from "../core/own"
import type { Point } from "./points"

/** "12 Nov 14:03", with the year where it is not this one. */
export function when(at: number, now = Date.now()): string {
  const date = new Date(at)
  const year = date.getFullYear() === new Date(now).getFullYear() ? undefined : ("numeric" as const)
  const day = date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year })
  return `${day} ${date.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" })}`
}

/** "12 Nov 14:03:22": for points that lie close together. */
export function whenExactly(at: number, now = Date.now()): string {
  return `${when(at, now)}:${String(new Date(at).getSeconds()).padStart(2, "0")}`
}

export const plural = (n: number, what: string) => `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`

/** Who somebody is, short: an actor that nobody is on record for is many digits. */
export const nameOf = (author: string) => (/^[0-9a-f]{16,}$/.test(author) ? `unknown ${author.slice(0, 6)}` : author || "nobody")

/** "amy and 2 others". */
export function whoOf(p: Point): string {
  const others = p.others.length
  if (others === 0) return nameOf(p.author)
  return others === 1 ? `${nameOf(p.author)} and ${nameOf(p.others[0]!)}` : `${nameOf(p.author)} and ${others} others`
}

const verbs: Record<string, string> = {
  inserted: "made",
  content: "wrote",
  status: "status",
  moved: "moved",
  deleted: "deleted",
  restored: "restored",
  meta: "details",
  flags: "marks",
  title: "title",
}

/** What was done, in words. */
export const whatOf = (p: Point) => p.how.map(h => own(verbs, h) ?? h).join(", ")

/** What a slider says of a point: "12 Nov 14:03, amy, 3 blocks". */
export const sayPoint = (p: Point) => `${whenExactly(p.last)}, ${whoOf(p)}, ${plural(p.touched, "block")}`

/** The operation that made a change, from its message. */
export const operationOf = (p: Pick<Point, "message">) => /^(?:op|undo):([a-z_]+)/.exec(p.message)?.[1]?.replaceAll("_", " ") ?? ""

/** What went wrong, for people. */
export function say(error: Error): string {
  const hint = (error as { hint?: unknown }).hint
  return typeof hint === "string" && hint !== "" ? `${error.message} ${hint}` : error.message
}
