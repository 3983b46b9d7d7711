// Taking changes back by an edit: what they wrote goes, what they took comes
// back, and what others wrote in the meantime stays, also inside the same text.

import * as A from "@automerge/automerge/slim"
import type { ContextModel } from "../core/model"
import type { ContextDoc } from "../core/schema"

/** One thing to do to take something back. */
type Step =
  | { path: A.Prop[]; at: number; ins: string }
  | { path: A.Prop[]; at: number; del: number }
  | { path: A.Prop[]; key: string; was: unknown }
  | { path: A.Prop[]; gone: true }

/** Takes changes back, the newest first; returns how many things were taken back. What is written for it says `message`. */
export function revert(model: ContextModel, hashes: readonly string[], message?: string): number {
  let done = 0
  for (const hash of hashes) {
    const steps = stepsOf(model.handle.doc() as A.Doc<ContextDoc>, hash)
    if (steps.length === 0) continue
    model.handle.change(
      doc => {
        for (const step of steps) apply(doc, step)
      },
      message === undefined ? {} : { message },
    )
    done += steps.length
  }
  return done
}

/** The hashes of what was changed since some heads, the newest first. */
export const changedSince = (model: ContextModel, heads: string[]): string[] =>
  A.getChangesMetaSince(model.handle.doc() as A.Doc<ContextDoc>, heads)
    .map(c => c.hash)
    .reverse()

/** All changes of a context, each after those that it rests on; times in milliseconds. */
export const madeIn = (model: ContextModel): { hash: string; actor: string; time: number }[] =>
  A.getChangesMetaSince(model.handle.doc() as A.Doc<ContextDoc>, []).map(({ hash, actor, time }) => ({ hash, actor, time: time * 1000 }))

/** What takes a change back, in the document as it is now. */
function stepsOf(doc: A.Doc<ContextDoc>, hash: string): Step[] {
  const deps = A.inspectChange(doc, hash)?.deps
  if (!deps) return []
  const then = A.view(doc, [hash])
  const steps: Step[] = []
  const moved = new Map<string, number>() // how far the patches before have moved what follows, per text
  for (const patch of A.diff(doc, [hash], deps)) {
    const { path } = patch
    if (path[0] !== "pages" || path.length < 3) continue
    const key = path[3]
    if (path.length === 3) {
      if (patch.action === "del" && valueAt(doc, path)) steps.push({ path, gone: true })
    } else if (path.length === 5 && key === "text") {
      const text = path.slice(0, 4).join("/")
      const by = moved.get(text) ?? 0
      steps.push(...textSteps(doc, then, patch, by))
      moved.set(text, by + (patch.action === "splice" ? patch.value.length : patch.action === "del" ? -(patch.length ?? 1) : 0))
    } else if (path.length === 4 && typeof key === "string" && key !== "text" && key !== "chunks" && (patch.action === "put" || patch.action === "del")) {
      const raw = valueAt(doc, path.slice(0, 3))
      const was = patch.action === "put" ? patch.value : undefined
      if (raw && same(valueAt(doc, path), valueAt(then, path)) && !same(valueAt(doc, path), was)) steps.push({ path: path.slice(0, 3), key, was })
    }
  }
  return steps.reverse() // from the end of a text to its start
}

/** The same for what a change did to a text, where its characters stand now; `by` is how far the patches before moved this one. */
function textSteps(doc: A.Doc<ContextDoc>, then: A.Doc<ContextDoc>, patch: A.Patch, by: number): Step[] {
  const path = patch.path.slice(0, 4)
  const at = Number(patch.path[4]) - by
  const before = valueAt(then, path)
  const now = valueAt(doc, path)
  if (typeof before !== "string" || typeof now !== "string") return []
  const place = (n: number) => A.getCursorPosition(doc, path, A.getCursor(then, path, n))
  if (patch.action === "splice") return [{ path, at: at < before.length ? place(at) : now.length, ins: patch.value }]
  if (patch.action !== "del") return []
  const steps: Step[] = []
  const taken = new Set<number>()
  for (let n = at; n < at + (patch.length ?? 1) && n < before.length; n++) {
    const to = place(n)
    if (taken.has(to) || now[to] !== before[n]) continue // it went already
    taken.add(to)
    const last = steps.at(-1)
    if (last && "del" in last && last.at + last.del === to) last.del++
    else steps.push({ path, at: to, del: 1 })
  }
  return steps
}

function apply(doc: ContextDoc, step: Step): void {
  if ("ins" in step) return A.splice(doc, step.path, step.at, 0, step.ins)
  if ("del" in step) return A.splice(doc, step.path, step.at, step.del)
  const raw = valueAt(doc, step.path) as Record<string, unknown> | undefined
  if (!raw) return
  if ("gone" in step) raw.deleted = true
  else setField(raw, step.key, step.was)
}

/** Gives a field of a block what it had; what was not there becomes what says nothing. */
export function setField(raw: Record<string, unknown>, key: string, was: unknown): void {
  if (was === undefined || was === null) raw[key] = typeof raw[key] === "boolean" ? false : new A.ImmutableString("")
  else raw[key] = typeof was === "boolean" ? was : new A.ImmutableString(String(was))
}

export function valueAt(doc: unknown, path: readonly A.Prop[]): unknown {
  let at: unknown = doc
  for (const key of path) at = typeof at === "object" && at !== null ? (at as Record<A.Prop, unknown>)[key] : undefined
  return at
}

export const same = (a: unknown, b: unknown): boolean => (a === undefined || b === undefined ? a === b : String(a) === String(b))
