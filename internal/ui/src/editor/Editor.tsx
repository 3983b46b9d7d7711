// The editor itself: what LiveEditor fetches when it is first needed.

import { Compartment, EditorSelection, EditorState, type Extension } from "@codemirror/state"
import { EditorView } from "@codemirror/view"
import { useEffect, useLayoutEffect, useRef, useState } from "react"
import { cursorsIn } from "../presence/cursors"
import { bind } from "./binding"
import { listKeys } from "./keys"
import { languageExtension } from "./languages"
import css from "./live.module.css"
import { waysOf } from "./setup"
import type { Caret, LiveEditorProps } from "./LiveEditor"

const none: Extension = []

export default function Editor(props: LiveEditorProps) {
  const { model, id, label = "Text of the block", lang, readOnly = false, extensions = none } = props
  const place = useRef<HTMLDivElement>(null)
  const live = useRef<Live | null>(null)
  const now = useRef(props)
  const [lost, setLost] = useState(false)
  useLayoutEffect(() => void (now.current = props))

  // One view for as long as the block, its language and its ways are the same.
  useLayoutEffect(() => {
    const gone = () => {
      setLost(true)
      now.current.onGone?.()
    }
    const made = start(place.current!, now, gone, { label, lang, readOnly })
    live.current = made
    setLost(made === null)
    if (made === null) queueMicrotask(gone)
    return () => {
      live.current = null
      made?.stop()
    }
  }, [model, id, label, lang, readOnly])

  useEffect(() => void live.current?.extend(extensions), [extensions, model, id, label, lang, readOnly])

  return (
    <>
      <div ref={place} className={lang === undefined ? css.prose : css.code} hidden={lost} />
      {lost && <pre className={css.waiting}>{model.block(id)?.content ?? ""}</pre>}
    </>
  )
}

interface Live {
  extend(extensions: Extension): void
  stop(): void
}

interface Kind {
  label: string
  lang: string | undefined
  readOnly: boolean
}

/** Opens the editor of a block; null when the block has no text to edit. */
function start(parent: HTMLElement, now: { current: LiveEditorProps }, onGone: () => void, { label, lang, readOnly }: Kind): Live | null {
  const { model, id, caret, autoFocus } = now.current
  const block = model.block(id)
  const binding = block && bind(model.handle, [...block.path, "text"], onGone)
  if (!binding) return null
  const code = lang !== undefined
  const language = new Compartment()
  const more = new Compartment()
  const told = EditorView.focusChangeEffect.of((_state, focused) => {
    queueMicrotask(() => (focused ? now.current.onFocus?.() : now.current.onBlur?.()))
    return null
  })
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: binding.text,
      extensions: [
        binding.extension,
        listKeys((key, at) => now.current.onKey?.(key, at) ?? false, code),
        more.of(now.current.extensions ?? none),
        waysOf({ code, label, readOnly }),
        language.of(none),
        cursorsIn(model, id),
        told,
      ],
    }),
  })
  put(view, caret, autoFocus ?? false)
  let open = true
  void languageOf(lang ?? "markdown").then(loaded => open && view.dispatch({ effects: language.reconfigure(loaded) }))
  return {
    extend: extensions => void (more.get(view.state) !== extensions && view.dispatch({ effects: more.reconfigure(extensions) })),
    stop: () => {
      open = false
      view.destroy()
    },
  }
}

async function languageOf(name: string): Promise<Extension> {
  const loaded = await languageExtension(name)
  if (name !== "markdown") return loaded
  return [(await import("./markdownlang")).markdownKeys, loaded]
}

/** Puts the caret where it is to be, and gives the editor the keyboard. */
function put(view: EditorView, caret: Caret | undefined, focus: boolean): void {
  const { length } = view.state.doc
  if (focus) view.focus()
  if (caret === undefined || caret === "start") return
  const at = caret === "end" ? length : typeof caret === "number" ? Math.min(Math.max(0, caret), length) : (view.posAtCoords(caret, false) ?? length)
  view.dispatch({ selection: EditorSelection.cursor(at), scrollIntoView: focus })
}
