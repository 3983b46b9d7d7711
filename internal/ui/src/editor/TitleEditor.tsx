// The title of a context, edited as the Text that it is. A long one goes on below;
// line breaks are none of it.

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
  const box = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const bound = new TitleBox(box.current!, model.handle, ["title"])
    return () => bound.close()
  }, [model])
  return (
    <textarea
      ref={box}
      rows={1}
      className={css.title}
      aria-label="Title"
      placeholder="Untitled"
      dir="auto"
      defaultValue=""
      readOnly={readOnly}
      spellCheck
      enterKeyHint="done"
      onKeyDown={e => {
        if (e.nativeEvent.isComposing || !["Enter", "ArrowDown", "Escape"].includes(e.key)) return
        const box = e.currentTarget
        const lines = box.scrollHeight / parseFloat(getComputedStyle(box).lineHeight)
        if (e.key === "ArrowDown" && lines >= 2 && box.selectionEnd < box.value.length) return // within the title
        e.preventDefault()
        box.blur()
        if (e.key !== "Escape") onLeave?.()
      }}
    />
  )
}
