// Taking back: one's own work by the server's undo, which knows units of work
// across devices; somebody else's by an edit that reverts what they did.

import { actors } from "../core/actors"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import { toast } from "../parts"
import { changedSince, madeIn, revert } from "./revert"
import { blocksCount, say } from "./words"

interface Undone {
  undone: { what: string; blocks: string[] | null; changes: string[] }[]
}

interface Stage {
  announce(text: string): void
  show(id: string): void
}

/** Takes back what the caller did last. Doing it again brings it back, which the toast offers. */
export async function undoOwn(model: ContextModel, stage: Stage, change?: string): Promise<void> {
  try {
    const { undone } = await op<Undone>("undo", change ? { context: model.id, change } : { context: model.id })
    told(undone, () => void undoOwn(model, stage))
    const block = undone[0]?.blocks?.[0]
    if (block && model.indexOf(block) >= 0) stage.show(block)
  } catch (err) {
    toast({ text: `Nothing was undone: ${say(err)}`, kind: "warn" })
  }

  function told(undone: Undone["undone"], redo: () => void): void {
    const first = undone[0]
    const text = `${verb(first?.what ?? "")}${first?.blocks?.length ? ` in ${blocksCount(first.blocks.length)}` : ""}`
    toast({ text, action: { label: /^undo/.test(first?.what ?? "") ? "Undo" : "Redo", run: redo } })
    stage.announce(text)
  }
}

/** What an undo took back, in words. */
function verb(what: string): string {
  if (what.startsWith("undo")) return "Redone"
  return what === "" ? "Undone: typing" : `Undone: ${what.replaceAll("_", " ")}`
}

interface History {
  entries: { change: string; author: string; actor: string; time: string; how: string[] }[]
}

/** Changes of one author that are less than this apart are one piece of work, in milliseconds. */
const together = 30_000

/** Takes back the last piece of work of an author, in a block or in the whole context. */
export async function undoAuthor(model: ContextModel, stage: Stage, author: string, own: boolean, id?: string): Promise<void> {
  try {
    const changes = id === undefined ? lastOf(model, author) : await lastIn(model, id, author, own)
    if (changes.length === 0) return void toast({ text: `There is nothing of ${own ? "yours" : author} to undo here.`, kind: "info" })
    const heads = model.heads()
    if (revert(model, changes) === 0) return void toast({ text: `What ${author} did last no longer shows.`, kind: "info" })
    const mine = changedSince(model, heads).slice(0, changes.length)
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
