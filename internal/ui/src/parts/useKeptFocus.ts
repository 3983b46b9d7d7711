import { useEffect, useLayoutEffect, useRef, type RefObject } from "react"

const reachable = "button:not([disabled]), a[href], input:not([disabled]), textarea:not([disabled]), select:not([disabled]), summary"

/** In a list whose items go when they are done with, the keyboard goes on to the next item, and from the last to what is above the list. */
export function useKeptFocus(box: RefObject<HTMLElement | null>, item: string): void {
  const at = useRef({ item: -1, of: 0 }) // where the keyboard was
  useEffect(() => {
    const el = box.current
    if (!el) return
    const onFocus = (e: FocusEvent) => {
      const items = [...el.querySelectorAll(item)]
      at.current = { item: items.findIndex(i => i.contains(e.target as Node)), of: items.length }
    }
    const onBlur = (e: FocusEvent) => e.relatedTarget && !el.contains(e.relatedTarget as Node) && (at.current = { item: -1, of: 0 })
    el.addEventListener("focusin", onFocus)
    el.addEventListener("focusout", onBlur)
    return () => {
      el.removeEventListener("focusin", onFocus)
      el.removeEventListener("focusout", onBlur)
    }
  }, [box, item])
  useLayoutEffect(() => {
    const el = box.current
    const { item: was, of } = at.current
    if (!el || was < 0 || document.activeElement !== document.body) return
    const items = [...el.querySelectorAll(item)]
    if (items.length >= of) return
    at.current = { item: -1, of: 0 }
    const next = items[Math.min(was, items.length - 1)]?.querySelector<HTMLElement>(reachable)
    const to = next ?? el.querySelector<HTMLElement>("h1") ?? el.closest("dialog")?.querySelector<HTMLElement>(reachable)
    if (!to) return
    if (to.localName === "h1") to.tabIndex = -1
    to.focus()
  })
}
