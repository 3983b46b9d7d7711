import { useCallback } from "react"
import type { Block } from "../../core/schema"
import { readMeta } from "../../core/meta"
import { CodeView } from "../../editor/CodeView"
import { LiveEditor, type EditorKey } from "../../editor/LiveEditor"
import { FileHeader } from "../../git/FileHeader"
import { filePlace } from "../../git/files"
import { Writers } from "../../git/Writers"
import { useBlameOn, useFileBlame } from "../../git/useFileBlame"
import { useDoc, useRowState, useSeatsAt } from "../doc-context"
import { useMayWrite } from "../rights"
import { editorKey } from "../editor-keys"
import { headOf, moreChars } from "../long"
import { size } from "../words"
import css from "./bodies.module.css"

/** A file of a worktree: its text as code, which an editor takes over where somebody writes. */
export default function File({ block }: { block: Block }) {
  const doc = useDoc()
  const { model, state, act } = doc
  const { id } = block
  const mine = useMayWrite(block)
  const editing = useRowState(id, s => s.editing?.id === id)
  const asked = useRowState(id, s => s.shown(id))
  const others = useSeatsAt(id).some(seat => !seat.own)
  const { path } = readMeta("file", block.meta)
  const full = filePlace(block).full || null
  const blamed = useBlameOn(full)
  const gutter = useFileBlame(full, undefined, block.content)
  const onKey = useCallback((key: EditorKey, at: number) => key !== "split" && key !== "mergeUp" && key !== "indent" && key !== "outdent" && editorKey(doc, id, key, at), [doc, id])
  const part = headOf(block.content, asked)
  return (
    <div className={css.file}>
      <FileHeader model={model} block={block} />
      {block.form === "text" && (editing || others || blamed) ? (
        <div className="content">
          <LiveEditor model={model} id={id} lang={path} extensions={gutter ?? undefined} caret={editing ? state.editing?.caret : undefined} autoFocus={editing} readOnly={!mine} label={`File ${path}`} onKey={onKey} onFocus={() => !mine || state.editing?.id === id || state.edit({ id, caret: "end" })} onBlur={() => state.editing?.id === id && !state.moving && state.edit(null)} />
        </div>
      ) : (
        <div className="content" onClick={e => mine && getSelection()?.isCollapsed && void act.edit(id, { x: e.clientX, y: e.clientY })}>
          {blamed && full ? (
            <Writers path={full} text={part.text}>
              <CodeView text={part.text} lang={path} />
            </Writers>
          ) : (
            <CodeView text={part.text} lang={path} />
          )}
        </div>
      )}
      {part.left > 0 && !editing && (
        <button type="button" className={css.more} onClick={() => state.show(id, part.text.length + moreChars)}>
          Show more <span className={css.left}>({size(part.left)} hidden)</span>
        </button>
      )}
    </div>
  )
}
