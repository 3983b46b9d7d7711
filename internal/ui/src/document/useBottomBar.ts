// What stands fixed at the lower edge, told to the rest of the page as
// --bottom-bar: what scrolls keeps its lines above it, messages stand above it.

import { useLayoutEffect, type RefObject } from "react"

const name = "--bottom-bar"

/** Tells how high an element at the lower edge is, for as long as it is there. */
export function useBottomBar(bar: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const el = bar.current
    if (!el) return
    const root = document.documentElement
    const tell = () => root.style.setProperty(name, `${el.offsetHeight}px`)
    tell()
    const watch = new ResizeObserver(tell)
    watch.observe(el)
    return () => {
      watch.disconnect()
      root.style.removeProperty(name)
    }
  }, [bar])
}
