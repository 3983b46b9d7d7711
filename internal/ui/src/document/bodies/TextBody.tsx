import { useCallback, useEffect, useRef, type MouseEvent } from "react"
import type { Block } from "../../core/schema"
import { LiveEditor, preloadEditor, type EditorKey } from "../../editor/LiveEditor"
import { cx } from "../../parts"
import { useBlameExtension } from "../../time/BlameLayer"
import { useDoc, useRowState, useSeatsAt } from "../doc-context"
import { kindName } from "../kinds"
import { useMayWrite } from "../rights"
import { editorKey } from "../editor-keys"
import { Prose } from "./Prose"
import css from "./bodies.module.css"

/** What people write: set as Markdown, and an editor while somebody's caret is in it. */
export function TextBody({ block, className }: { block: Block; className?: string | undefined }) {
  const doc = useDoc()
  const { model, state, act } = doc
  const { id, form } = block
  const mine = useMayWrite(block)
  const editing = useRowState(id, s => s.editing?.id === id)
  const others = useSeatsAt(id).some(seat => !seat.own)
  const blame = useBlameExtension(id)
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    // An editor that is here for others already is not opened anew.
    if (editing && !place.current?.contains(document.activeElement)) place.current?.querySelector<HTMLElement>(".cm-content")?.focus()
  }, [editing])
  const onKey = useCallback((key: EditorKey, at: number) => editorKey(doc, id, key, at), [doc, id])
  if (form === "text" && (editing || others)) {
    return (
      <div ref={place} className={cx("content", className)}>
        <LiveEditor
          model={model}
          id={id}
          caret={editing ? state.editing?.caret : undefined}
          autoFocus={editing}
          readOnly={!mine}
          label={`${kindName(block.kind)} by ${block.role}`}
          extensions={blame}
          onKey={onKey}
          onFocus={() => !mine || state.editing?.id === id || (state.selectOne(id), state.edit({ id, caret: "end" }))}
          onBlur={() => state.editing?.id === id && !state.moving && state.edit(null)}
          onGone={() => state.editing?.id === id && state.edit(null)}
        />
      </div>
    )
  }
  const onClick = (e: MouseEvent) => {
    if (!mine || e.defaultPrevented || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || form !== "text") return
    if (e.target instanceof Element && e.target.closest("a, button, input, summary, label")) return
    if (!getSelection()?.isCollapsed) return
    void act.edit(id, { x: e.clientX, y: e.clientY })
  }
  return (
    <div className={cx("content", css.prose, block.status === "running" && css.streaming, form === "text" && mine && css.editable, className)} onPointerEnter={preloadEditor} onClick={onClick}>
      <Prose block={block} />
    </div>
  )
}
