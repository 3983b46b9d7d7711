// Taking back: one's own work of this page piece by piece, what lies before it
// by the server's undo, which knows units of work across devices; somebody
// else's by an edit that reverts what they did.

import { actors } from "../core/actors"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import { toast } from "../parts"
import { ownWork } from "./own-work"
import { changedSince, madeIn, revert } from "./revert"
import { blocksCount, say } from "./words"

interface Undone {
  undone: { what: string; blocks: string[] | null; changes: string[] }[]
  change?: string
}

interface Stage {
  announce(text: string): void
  /** Resolves when the server has what was written here, or is not there. */
  saved(): Promise<void>
}

/** Takes back what the caller did last, each time one piece more; returns the blocks that it was about. */
export async function undoOwn(model: ContextModel, stage: Stage): Promise<string[]> {
  const work = ownWork(model)
  const unit = work.undo(model)
  if (!unit) return beyond(model, stage, { steps: 1 })
  stage.announce(`Undone: ${unit.what}`)
  return unit.blocks
}

/** Brings back what was taken back last. */
export async function redoOwn(model: ContextModel, stage: Stage): Promise<string[]> {
  const work = ownWork(model)
  const change = work.beyond.pop()
  if (change !== undefined) return beyond(model, stage, { change })
  const unit = work.redo(model)
  stage.announce(unit ? `Redone: ${unit.what}` : "There is nothing to redo.")
  return unit?.blocks ?? []
}

/** Takes back what was done before this page was opened, or brings that back. */
async function beyond(model: ContextModel, stage: Stage, what: { steps: 1 } | { change: string }): Promise<string[]> {
  try {
    await stage.saved()
    const { undone, change } = await op<Undone>("undo", { context: model.id, ...what })
    const [first] = undone
    const back = "steps" in what
    if (back && change) ownWork(model).beyond.push(change)
    const text = `${back ? "Undone" : "Redone"}: ${nameOf(first?.what ?? "")}${first?.blocks?.length ? ` in ${blocksCount(first.blocks.length)}` : ""}`
    toast(text)
    stage.announce(text)
    return first?.blocks ?? []
  } catch (err) {
    toast({ text: `Nothing was undone: ${say(err)}`, kind: "warn" })
    return []
  }
}

/** What an operation is called in words. */
const nameOf = (what: string): string => (what === "" ? "typing" : what === "undo" ? "what was undone" : what.replaceAll("_", " "))

interface History {
  entries: { change: string; author: string; actor: string; time: string; how: string[] }[]
}

/** Changes of one author that are less than this apart are one piece of work, in milliseconds. */
const together = 30_000

/** Takes back the last piece of work of an author, in a block or in the whole context. */
export async function undoAuthor(model: ContextModel, stage: Pick<Stage, "announce">, author: string, own: boolean, id?: string): Promise<void> {
  try {
    const changes = id === undefined ? lastOf(model, author) : await lastIn(model, id, author, own)
    if (changes.length === 0) return void toast({ text: `There is nothing of ${own ? "yours" : author} to undo here.`, kind: "info" })
    const heads = model.heads()
    if (revert(model, changes) === 0) return void toast({ text: `What ${author} did last no longer shows.`, kind: "info" })
    const mine = changedSince(model, heads)
    const text = own ? "Undone: your last change here" : `Undone: ${author}'s last change`
    toast({ text, action: { label: "Redo", run: () => void revert(model, mine) } })
    stage.announce(text)
  } catch (err) {
    toast({ text: `Nothing was undone: ${say(err)}`, kind: "warn" })
  }
}

/** The last piece of work of an author in a block, the newest change first. */
async function lastIn(model: ContextModel, id: string, author: string, own: boolean): Promise<string[]> {
  const { entries } = await op<History>("block_history", { context: model.id, block_id: id, limit: 200 })
  const by = (e: History["entries"][number]) => e.author === author || (own && actors.principalOf(e.actor).own)
  return piece(entries.filter(by).map(e => ({ hash: e.change, at: Date.parse(e.time) })))
}

/** The last piece of work of an author anywhere. */
const lastOf = (model: ContextModel, author: string): string[] =>
  piece(
    madeIn(model)
      .filter(c => actors.principalOf(c.actor).name === author)
      .map(c => ({ hash: c.hash, at: c.time }))
      .reverse(),
  )

function piece(newestFirst: { hash: string; at: number }[]): string[] {
  const out: string[] = []
  let at = newestFirst[0]?.at ?? 0
  for (const change of newestFirst) {
    if (at - change.at > together || out.length >= 500) break
    out.push(change.hash)
    at = change.at
  }
  return out
}
