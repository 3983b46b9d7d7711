import { ChevronRight, EyeOff } from "lucide-react"
import { memo, type FocusEvent, type MouseEvent } from "react"
import { useAuthor, useBlock } from "../core/hooks"
import type { Block } from "../core/schema"
import { Rests } from "../drift/Rests"
import { StaleMark } from "../drift/StaleMark"
import { preloadEditor } from "../editor/LiveEditor"
import { cx } from "../parts"
import { Body } from "./bodies/Body"
import { StatusMark } from "./bodies/StatusMark"
import { Between } from "./Between"
import { useDoc, useRowState } from "./doc-context"
import { DropMark, useDragHandle } from "./drag"
import { kindName } from "./kinds"
import type { Line } from "./lines"
import { RowBoundary } from "./RowBoundary"
import { Here, RowHeader, useTurn } from "./RowHeader"
import { RowTools } from "./RowTools"
import { toggle } from "./selection"
import { useNear } from "./useNear"
import css from "./row.module.css"

/** How many levels are shown by indentation; deeper ones stand below the last. */
const maxIndent = 8

export interface BlockRowProps {
  line: Line
  index: number
  count: number
  /** It stands outside of the window, at this height, because it must not go. */
  kept: number | null
  measure(el: HTMLElement | null): void
}

/** One block on its line. It is rendered when its own block, line or selection changes. */
export const BlockRow = memo(function BlockRow({ line, index, count, kept, measure }: BlockRowProps) {
  const { model, state, rights } = useDoc()
  const { id, depth } = line
  const block = useBlock(model, id)
  const focused = useRowState(id, s => s.selection.focus === id || (s.selection.focus === null && index === 0))
  const selected = useRowState(id, s => s.selection.ids.has(id))
  const dragged = useRowState(id, s => s.dragged.includes(id))
  const { near, come, props } = useNear()
  const author = useAuthor(model, id)
  const turn = useTurn(block ?? nobody, line.above)
  if (!block) return <article ref={measure} data-index={index} data-row={id} aria-label="A block that went" />
  const onMouseDown = (e: MouseEvent) => {
    if (e.button !== 0 || !(e.metaKey || e.ctrlKey || e.shiftKey) || inControl(e.target)) return
    e.preventDefault()
    if (e.shiftKey) state.extendTo(id)
    else state.select(toggle(state.selection, id))
  }
  const onClick = (e: MouseEvent) => {
    if (e.metaKey || e.ctrlKey || e.shiftKey || inControl(e.target) || !getSelection()?.isCollapsed) return
    if (!state.selection.ids.has(id) || state.selection.ids.size > 1) state.selectOne(id)
  }
  const onFocus = (e: FocusEvent) => {
    come()
    preloadEditor()
    if (state.selection.focus !== id && !state.selection.ids.has(id) && e.target.matches(":focus-visible")) state.selectOne(id)
  }
  return (
    <article
      ref={measure}
      className={cx(css.row, selected && css.selected, dragged && css.dragged, turn && css.turn, block.excluded && css.excluded)}
      style={kept === null ? undefined : { position: "absolute", top: kept, left: 0, right: 0 }}
      tabIndex={focused ? 0 : -1}
      aria-posinset={index + 1}
      aria-setsize={count}
      aria-label={labelOf(block, author.name, depth, line.folded ? line.children : 0)}
      aria-busy={block.status === "running" || undefined}
      data-index={index}
      data-row={id}
      data-block={id}
      data-kind={block.kind}
      data-role={block.role}
      data-status={block.status}
      data-depth={depth}
      data-selected={selected || undefined}
      data-excluded={block.excluded || undefined}
      onMouseDown={onMouseDown}
      onClick={onClick}
      {...props}
      onFocus={onFocus}
    >
      <div className={css.inner} style={{ "--depth": Math.min(depth, maxIndent) } as React.CSSProperties}>
        {Array.from({ length: Math.min(depth, maxIndent) }, (_, n) => (
          <span key={n} className={css.guide} style={{ "--at": n } as React.CSSProperties} />
        ))}
        <Gutter line={line} block={block} near={near || selected} />
        {turn ? (
          <RowHeader block={block}>
            <Marks block={block} depth={depth} />
          </RowHeader>
        ) : (
          <Marks block={block} depth={depth} />
        )}
        <RowBoundary state={block}>
          <RowContent block={block} line={line} />
          {block.kind !== "drift" && block.meta !== "" && <Rests block={block} />}
        </RowBoundary>
        {near && <RowTools block={block} line={line} />}
        <Here id={id} />
      </div>
      {rights !== "read" && <Between id={id} />}
      {rights === "edit" && <DropMark id={id} />}
    </article>
  )
})

const nobody: Block = { id: "", kind: "text", role: "user", status: "done", parent: "", order: "", form: "text", content: "", meta: "", deleted: false, collapsed: false, excluded: false, path: ["pages", "", ""], actor: "", madeAt: null }

const RowContent = memo(function RowContent({ block, line }: { block: Block; line: Line }) {
  if (!block.collapsed) return <Body block={block} line={line} />
  return (
    <div className={line.children > 0 ? undefined : css.folded}>
      <Body block={block} line={line} />
      {line.children > 0 && <Hidden id={block.id} children={line.children} />}
    </div>
  )
})

/** How much a folded block hides; a click shows it. */
function Hidden({ id, children }: { id: string; children: number }) {
  const { act } = useDoc()
  return (
    <button type="button" className={css.hidden} onClick={() => act.toggle("collapsed", [id])}>
      {children === 1 ? "1 block" : `${children} blocks`} below
    </button>
  )
}

/** What a block is apart from its content: left out, stale, failed. */
function Marks({ block, depth }: { block: Block; depth: number }) {
  const shows = block.status !== "done" && (block.kind === "text" || block.kind === "comment")
  return (
    <>
      {depth > maxIndent && <span className={css.mark}>level {depth + 1}</span>}
      {block.excluded && (
        <span className={css.mark}>
          <EyeOff aria-hidden /> not sent to models
        </span>
      )}
      {shows && block.status !== "running" && <StatusMark status={block.status} word />}
      <StaleMark block={block} />
    </>
  )
}

function Gutter({ line, block, near }: { line: Line; block: Block; near: boolean }) {
  const { act, rights } = useDoc()
  const grip = useDragHandle(line.id)
  const folds = line.children > 0 || block.collapsed
  return (
    <div className={css.gutter}>
      {near && rights === "edit" && (
        <span ref={grip} className={css.grip} aria-hidden title="Drag to move">
          <svg viewBox="0 0 10 16" width="10" height="16">
            {[3, 8, 13].flatMap(y => [2.5, 7.5].map(x => <circle key={`${x} ${y}`} cx={x} cy={y} r="1.1" />))}
          </svg>
        </span>
      )}
      {folds && (
        <button type="button" className={css.fold} tabIndex={-1} aria-expanded={!block.collapsed} aria-label={block.collapsed ? "Unfold" : "Fold"} onClick={() => act.toggle("collapsed", [line.id])}>
          <ChevronRight aria-hidden />
        </button>
      )}
    </div>
  )
}

/** What is said of a block to those who come to it by keyboard. */
function labelOf(block: Block, author: string, depth: number, hidden: number): string {
  const words = [`${kindName(block.kind)} by ${author}`]
  if (block.role !== "user") words.push(block.role)
  if (block.status !== "done") words.push(block.status)
  if (depth > 0) words.push(`level ${depth + 1}`)
  if (block.collapsed) words.push(hidden > 0 ? `folded, ${hidden} below` : "folded")
  if (block.excluded) words.push("not sent to models")
  return words.join(", ")
}

/** Whether a click is meant for something inside of the row, or in a menu that it opened. */
const inControl = (target: EventTarget): boolean => target instanceof Element && target.closest("a, button, input, textarea, select, summary, .cm-editor, [contenteditable], [role=menu]") !== null
