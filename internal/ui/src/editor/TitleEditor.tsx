// The title of a context: one line, edited as the Text that it is.

import { useEffect, useRef } from "react"
import type { ContextModel } from "../core/model"
import { TitleBox } from "./titlebox"
import css from "./TitleEditor.module.css"

export interface TitleEditorProps {
  model: ContextModel
  readOnly?: boolean | undefined
  /** Enter and the arrow down go on to the blocks. */
  onLeave?: (() => void) | undefined
}

export function TitleEditor({ model, readOnly = false, onLeave }: TitleEditorProps) {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const bound = new TitleBox(box.current!, model.handle, ["title"])
    return () => bound.close()
  }, [model])
  return (
    <input
      ref={box}
      className={css.title}
      aria-label="Title"
      placeholder="Untitled"
      defaultValue=""
      readOnly={readOnly}
      spellCheck
      enterKeyHint="done"
      onKeyDown={e => {
        if (e.nativeEvent.isComposing || !["Enter", "ArrowDown", "Escape"].includes(e.key)) return
        e.preventDefault()
        e.currentTarget.blur()
        if (e.key !== "Escape") onLeave?.()
      }}
    />
  )
}
