import { ClipboardCopy, CopyPlus, EllipsisVertical, Eye, EyeOff, FoldVertical, GitCommitVertical, History, IndentDecrease, IndentIncrease, Link2, MoveDown, MoveUp, Pencil, Plus, Share2, Trash2, Undo2 } from "lucide-react"
import { useState } from "react"
import type { Block } from "../core/schema"
import { IconButton, Menu, type MenuItem } from "../parts"
import { useDoc } from "./doc-context"
import { kindIcon, kindName, turnable } from "./kinds"
import type { Line } from "./lines"
import { useMayWrite } from "./rights"
import { useWriters } from "./useWriters"
import css from "./row.module.css"

/** What can be done to a block, at its right edge while it is looked at. */
export function RowTools({ block }: { block: Block; line: Line }) {
  const { act, state, rights } = useDoc()
  const [open, setOpen] = useState(false)
  return (
    <div className={css.tools} role="group" aria-label="Block actions">
      {rights !== "read" && <IconButton size="s" label="Add below" keys="Mod+Enter" icon={<Plus />} onClick={() => state.add(block.id)} />}
      <Menu label="Block actions" open={open} onOpenChange={setOpen} items={useBlockItems(block, open)} trigger={<IconButton size="s" label="More actions" icon={<EllipsisVertical />} noTip onClick={() => act.targets(block.id).length > 1 || state.selectOne(block.id)} />} />
    </div>
  )
}

/** What can be done to a block, as a menu has it. */
export function useBlockItems(block: Block, open = true): (MenuItem | false)[] {
  const { act, model, rights } = useDoc()
  const own = useMayWrite(block)
  const { id } = block
  const writers = useWriters(model, id, open)
  const ids = act.targets(id)
  const many = ids.length > 1
  const prose = block.form === "text" && (turnable as readonly string[]).includes(block.kind)
  if (rights !== "edit") {
    return [
      !many && own && block.form === "text" && { label: "Edit", icon: <Pencil />, keys: "Enter", run: () => void act.edit(id) },
      { label: "Copy link", icon: <Link2 />, run: () => void act.copyLink(id) },
      { label: "Copy as Markdown", icon: <ClipboardCopy />, keys: "Mod+C", run: () => void act.copyMarkdown(ids) },
      { label: "Push to another context…", icon: <Share2 />, run: () => act.stage.push(ids) },
      { label: "History", icon: <History />, run: () => act.stage.history(id) },
      !many && own && { label: "Delete", icon: <Trash2 />, danger: true, keys: "Delete", run: () => act.remove(ids) },
    ]
  }
  return [
    many && { heading: `${ids.length} blocks` },
    !many && block.form !== "chunks" && { label: "Edit", icon: <Pencil />, keys: "Enter", run: () => void act.edit(id) },
    ...(prose ? turnable.filter(kind => kind !== block.kind).map(kind => ({ label: `Turn into ${kindName(kind)}`, icon: kindIcon(kind), run: () => act.turn(ids, kind) })) : []),
    { label: block.collapsed ? "Unfold" : "Fold", icon: <FoldVertical />, keys: "Space", run: () => act.toggle("collapsed", ids) },
    { label: block.excluded ? "Send to models" : "Do not send to models", icon: block.excluded ? <Eye /> : <EyeOff />, run: () => act.toggle("excluded", ids) },
    "-",
    { label: "Move up", icon: <MoveUp />, keys: "Alt+ArrowUp", run: () => act.moveBy(ids, -1) },
    { label: "Move down", icon: <MoveDown />, keys: "Alt+ArrowDown", run: () => act.moveBy(ids, 1) },
    { label: "Indent", icon: <IndentIncrease />, keys: "Alt+ArrowRight", run: () => act.indent(ids, 1) },
    block.parent !== "" && { label: "Outdent", icon: <IndentDecrease />, keys: "Alt+ArrowLeft", run: () => act.indent(ids, -1) },
    "-",
    { label: "Copy link", icon: <Link2 />, run: () => void act.copyLink(id) },
    { label: "Copy as Markdown", icon: <ClipboardCopy />, keys: "Mod+C", run: () => void act.copyMarkdown(ids) },
    { label: "Duplicate", icon: <CopyPlus />, run: () => act.duplicate(id) },
    { label: "Push to another context…", icon: <Share2 />, run: () => act.stage.push(ids) },
    "-",
    { label: "History", icon: <History />, run: () => act.stage.history(id) },
    ...writers.map(({ name, own }) => ({ label: own ? "Undo my last change here" : `Undo ${name}'s last change here`, icon: own ? <Undo2 /> : <GitCommitVertical />, run: () => void act.undoOf(name, own, id) })),
    "-",
    { label: many ? `Delete ${ids.length} blocks` : "Delete", icon: <Trash2 />, danger: true, keys: "Delete", run: () => act.remove(ids) },
  ]
}
