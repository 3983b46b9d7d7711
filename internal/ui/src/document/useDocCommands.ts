import type { Dispatch } from "react"
import { actors } from "../core/actors"
import { useCommands, type Command } from "../core/commands"
import type { ContextModel } from "../core/model"
import type { Shown } from "./Dialogs"
import type { Doc } from "./doc-context"
import { kindName, turnable } from "./kinds"

/** What is offered to who may only read, and to who may only comment. */
const reading = new Set(["doc.copy", "doc.print", "doc.all", "doc.keys", "block.link", "block.copy", "block.history"])
const comments = new Set([...reading, "doc.write", "doc.undo", "doc.redo", "block.below"])

/** Offers what can be done in a context to the palette. Its keys act in the list only, where the list has the keyboard. */
export function useDocCommands(doc: Doc, show: Dispatch<Shown>): void {
  const { rights } = doc
  useCommands(() => [...ofContext(doc, show), ...ofSelection(doc, show)].filter(c => rights === "edit" || (rights === "comment" ? comments : reading).has(c.id)), [doc, show, rights])
}

function ofContext({ model, state, act, composer }: Doc, show: Dispatch<Shown>): Command[] {
  const group = "Context"
  return [
    { id: "doc.write", title: "Write a new block", group, run: composer },
    { id: "doc.copy", title: "Copy context as Markdown", group, run: () => void act.copyAll() },
    { id: "doc.print", title: "Print context", group, run: () => print() },
    { id: "doc.undo", title: "Undo my last change", group, hint: "Mod+Z", run: () => void act.undo() },
    { id: "doc.redo", title: "Redo what I undid", group, hint: "Shift+Mod+Z", run: () => void act.redo() },
    ...othersIn(model).map(name => ({ id: `doc.undo.${name}`, title: `Undo ${name}'s last change`, group, run: () => void act.undoOf(name, false) })),
    { id: "doc.deleted", title: "Deleted blocks…", group, run: () => show({ what: "deleted" }) },
    { id: "doc.fold", title: "Fold all", group, run: () => act.foldAll(true) },
    { id: "doc.unfold", title: "Unfold all", group, run: () => act.foldAll(false) },
    { id: "doc.all", title: "Select all blocks", group, run: () => state.all() },
    { id: "doc.keys", title: "Keys in a context", group, run: () => show({ what: "keys" }) },
  ]
}

function ofSelection({ model, state, act }: Doc, show: Dispatch<Shown>): Command[] {
  const group = "Blocks"
  const ids = () => state.selected()
  const some = () => state.selection.ids.size > 0
  const one = () => state.selection.ids.size === 1
  const first = () => ids()[0]!
  return [
    { id: "block.edit", title: "Edit block", group, hint: "Enter", enabled: one, run: () => void act.edit(first()) },
    { id: "block.below", title: "New block below", group, hint: "Mod+Enter", enabled: one, run: () => void act.addBelow(first()) },
    { id: "block.fold", title: "Fold or unfold", group, hint: "Space", enabled: some, run: () => act.toggle("collapsed", ids()) },
    { id: "block.exclude", title: "Send to models, or not", group, enabled: some, run: () => act.toggle("excluded", ids()) },
    { id: "block.up", title: "Move up", group, hint: "Alt+ArrowUp", enabled: some, run: () => void act.moveBy(ids(), -1) },
    { id: "block.down", title: "Move down", group, hint: "Alt+ArrowDown", enabled: some, run: () => void act.moveBy(ids(), 1) },
    { id: "block.indent", title: "Indent", group, hint: "Alt+ArrowRight", enabled: some, run: () => void act.indent(ids(), 1) },
    { id: "block.outdent", title: "Outdent", group, hint: "Alt+ArrowLeft", enabled: some, run: () => void act.indent(ids(), -1) },
    ...turnable.map(kind => ({ id: `block.turn.${kind}`, title: `Turn into ${kindName(kind)}`, group, enabled: () => some() && ids().every(id => (turnable as readonly string[]).includes(model.block(id)?.kind ?? "")), run: () => act.turn(ids(), kind) })),
    { id: "block.link", title: "Copy link to block", group, enabled: one, run: () => void act.copyLink(first()) },
    { id: "block.copy", title: "Copy blocks as Markdown", group, hint: "Mod+C", enabled: some, run: () => void act.copyMarkdown(ids()) },
    { id: "block.history", title: "History of block", group, enabled: one, run: () => show({ what: "history", id: first() }) },
    { id: "block.delete", title: "Delete", group, hint: "Delete", enabled: some, run: () => act.remove(ids()) },
  ]
}

/** How many of the last blocks are looked at for who wrote them: this is asked with every key. */
const lookedAt = 200

/** Who else wrote here lately, the latest first. */
function othersIn(model: ContextModel): string[] {
  const names = new Set<string>()
  for (const { id } of model.rows.slice(-lookedAt).reverse()) {
    const author = actors.principalOf(model.block(id)?.actor ?? "")
    if (!author.own && author.kind !== "unknown") names.add(author.name)
  }
  return [...names].slice(0, 8)
}
