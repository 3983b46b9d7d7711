// The editor of one block. Its code, CodeMirror, is fetched when the first one
// is needed, or a little before (preloadEditor); until then the words stand
// there as they are.

import type { Extension } from "@codemirror/state"
import { lazy, Suspense } from "react"
import type { ContextModel } from "../core/model"
import css from "./live.module.css"

/** What a key asks of the list around the editor. */
export type EditorKey = "below" | "split" | "mergeUp" | "stepUp" | "stepDown" | "leave" | "indent" | "outdent" | "moveUp" | "moveDown" | "undo" | "redo"

/** Where the caret is to be: at a point of the window, at an end, or in front of a character (UTF-16). */
export type Caret = { x: number; y: number } | "start" | "end" | number

export interface LiveEditorProps {
  model: ContextModel
  id: string
  /** The place of the caret when it opens. */
  caret?: Caret | undefined
  autoFocus?: boolean | undefined
  /** For those who cannot see it; default "Text of the block". */
  label?: string | undefined
  /** A language, an ending or a path: shows code with line numbers instead of Markdown. */
  lang?: string | undefined
  readOnly?: boolean | undefined
  /** More of CodeMirror, such as a gutter. Read anew when it changes; keep it stable. */
  extensions?: Extension | undefined
  /** A key that concerns the list; `at` is the caret. True when it was taken; else the editor goes on with it. */
  onKey?: ((key: EditorKey, at: number) => boolean) | undefined
  onFocus?: (() => void) | undefined
  onBlur?: (() => void) | undefined
  /** The text is no longer there to be edited: the block went, or became something else. */
  onGone?: (() => void) | undefined
}

const load = () => import("./Editor")
const Editor = lazy(load)

/** Fetches the editor's code ahead of time. */
export function preloadEditor(): void {
  void load().catch(() => undefined) // it is tried again when it is needed
}

export function LiveEditor(props: LiveEditorProps) {
  return (
    <Suspense fallback={<pre className={css.waiting}>{props.model.block(props.id)?.content ?? ""}</pre>}>
      <Editor key={props.id} {...props} />
    </Suspense>
  )
}
