import { useEffect, useState, type RefObject } from "react"
import { useBlock } from "../core/hooks"
import type { Block } from "../core/schema"
import { Menu } from "../parts"
import { useDoc } from "./doc-context"
import { useBlockItems } from "./RowTools"
import css from "./row.module.css"

interface At {
  id: string
  x: number
  y: number
}

/** The menu of a block by the right mouse button, the menu key or Shift+F10. */
export function BlockMenu({ list }: { list: RefObject<HTMLElement | null> }) {
  const { model, state } = useDoc()
  const [at, setAt] = useState<At | null>(null)
  const block = useBlock(model, at?.id ?? "")
  useEffect(() => {
    const el = list.current
    if (!el) return
    const open = (e: MouseEvent) => {
      const place = placeOf(e)
      if (!place) return
      e.preventDefault()
      if (!state.selection.ids.has(place.id)) state.selectOne(place.id)
      setAt(place)
    }
    el.addEventListener("contextmenu", open)
    return () => el.removeEventListener("contextmenu", open)
  }, [list, state])
  return at && block && <Opened key={`${at.id} ${at.x} ${at.y}`} at={at} block={block} onClose={() => setAt(null)} />
}

function Opened({ at, block, onClose }: { at: At; block: Block; onClose(): void }) {
  const { act } = useDoc()
  const close = () => {
    onClose()
    // What was chosen may have taken the keyboard; the menu gives it back to its anchor, which is gone.
    const nowhere = () => document.activeElement === null || document.activeElement === document.body
    setTimeout(() => requestAnimationFrame(() => nowhere() && act.stage.show(act.state.selection.focus ?? at.id)))
  }
  return (
    <Menu
      label="Block actions"
      align="start"
      open
      onOpenChange={open => open || close()}
      items={useBlockItems(block)}
      trigger={<button type="button" tabIndex={-1} aria-hidden className={css.anchor} style={{ left: at.x, top: at.y }} />}
    />
  )
}

/** Which block a click or key means, and where; null leaves it to the browser, as for a link or a text that is selected. */
function placeOf(e: MouseEvent): At | null {
  const target = e.target as Element
  const row = target.closest<HTMLElement>("[data-row]")
  if (!row || e.defaultPrevented || target.closest("a, img, input, textarea, .cm-editor, [contenteditable]") || !getSelection()?.isCollapsed) return null
  const box = row.getBoundingClientRect()
  const within = e.clientX >= box.left && e.clientX <= box.right && e.clientY >= box.top && e.clientY <= box.bottom
  // A key is said to be at some corner.
  const byKey = e.button !== 2 || !within
  return { id: row.dataset.row!, x: byKey ? box.left + 40 : e.clientX, y: byKey ? Math.max(0, box.top + 28) : e.clientY }
}
