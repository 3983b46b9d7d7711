// Which lines of a long context are in the page. The library knows heights and
// ranges; what stays in sight while others write around it is decided here: the
// reader's place is remembered by block, and a reader at the end stays there.

import { defaultRangeExtractor, useVirtualizer, type Range, type Virtualizer } from "@tanstack/react-virtual"
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react"
import type { Line } from "./lines"

/** What a line is taken to measure until it has been seen, in pixels. */
const guess = 72
/** How many lines are kept above and below the window. */
const overscan = 6
/** How near its end, in pixels, a context follows what is added. */
const nearEnd = 80

export interface Window {
  virtual: Virtualizer<HTMLElement, HTMLElement>
  /** Scrolls to a block, also one that is not in the page; false if no line shows it. */
  reveal(id: string, align?: "auto" | "center" | "start"): boolean
  toEnd(): void
}

export interface WindowOptions {
  lines: readonly Line[]
  /** The element that scrolls, and in it the list. */
  scroller: RefObject<HTMLElement | null>
  list: RefObject<HTMLElement | null>
  /** The line with the caret: where the reader surely looks. It stays in the page. */
  held: string | null
  /** Others that stay in the page, such as what is being dragged. */
  kept: readonly string[]
}

export function useWindow({ lines, scroller, list, held, kept }: WindowOptions): Window {
  const [margin, setMargin] = useState(0)
  const at = useMemo(() => new Map(lines.map(({ id }, n) => [id, n])), [lines])
  const keep = useMemo(() => [held, ...kept].flatMap(id => (id !== null && at.has(id) ? [at.get(id)!] : [])), [held, kept, at])
  const virtual = useVirtualizer<HTMLElement, HTMLElement>({
    count: lines.length,
    getScrollElement: () => scroller.current,
    getItemKey: useCallback((n: number) => lines[n]?.id ?? n, [lines]),
    estimateSize: () => guess,
    overscan,
    scrollMargin: margin,
    rangeExtractor: useCallback((range: Range) => withKept(defaultRangeExtractor(range), keep), [keep]),
    useFlushSync: false,
    initialRect: { width: 800, height: 800 },
  })
  const now = useRef({ at, held })
  now.current = { at, held }
  const following = useRef(false)
  const seen = useRef<{ id: string; offset: number }[]>([])

  // What the reader looks at stays where it is when lines come and go above it:
  // the place to scroll to is known before the lines are laid out, so that the
  // rows in sight stay the ones that they are.
  const laidOut = useRef(lines)
  const target = useRef<number | null>(null)
  if (laidOut.current !== lines) {
    laidOut.current = lines
    virtual.getTotalSize() // measures anew
    const still = following.current && held === null ? undefined : seen.current.find(({ id }) => at.has(id))
    const item = still && virtual.measurementsCache[at.get(still.id)!]
    target.current = still && item ? item.start - still.offset : null
    if (target.current !== null) virtual.scrollOffset = target.current
  }

  virtual.shouldAdjustScrollPositionOnItemSizeChange = (item, _delta, v) => {
    const el = scroller.current
    if (!el || following.current) return false
    if (item.end <= el.scrollTop) return true
    const caret = now.current.held === null ? undefined : v.measurementsCache[now.current.at.get(now.current.held) ?? -1]
    return caret !== undefined && caret.index > item.index && caret.start < el.scrollTop + el.clientHeight && caret.end > el.scrollTop
  }

  // Where the list begins below what stands above it.
  useLayoutEffect(() => {
    const el = scroller.current
    const inner = list.current
    if (!el || !inner) return
    const measure = () => setMargin(Math.round(inner.getBoundingClientRect().top - el.getBoundingClientRect().top + el.scrollTop))
    measure()
    const watch = new ResizeObserver(measure)
    for (let before = inner.previousElementSibling; before; before = before.previousElementSibling) watch.observe(before)
    return () => watch.disconnect()
  }, [scroller, list])

  const remember = useCallback(() => {
    if (!scroller.current) return
    // Of the library, which has them from the last scroll: asking the element
    // after each rendering would lay the page out then and there.
    const top = virtual.scrollOffset ?? 0
    const bottom = top + (virtual.scrollRect?.height ?? 0)
    const { held } = now.current
    seen.current = virtual
      .getVirtualItems()
      .filter(item => item.end > top && item.start < bottom)
      .map(item => ({ id: String(item.key), offset: item.start - top }))
      .sort((a, b) => Number(b.id === held) - Number(a.id === held))
    if (top < virtual.options.scrollMargin && seen.current[0]?.id !== held) seen.current = [] // the title is in sight
  }, [virtual, scroller])

  useLayoutEffect(() => {
    const el = scroller.current
    if (el && target.current !== null && Math.abs(target.current - el.scrollTop) > 1) el.scrollTop = target.current
    target.current = null
  }, [lines, scroller])
  useEffect(remember)

  useEffect(() => {
    const el = scroller.current
    if (!el) return
    const onScroll = () => {
      following.current = el.scrollHeight - el.clientHeight - el.scrollTop < nearEnd
      remember()
    }
    const onGrowth = () => {
      const caret = now.current.held === null ? undefined : now.current.at.get(now.current.held)
      const last = now.current.at.size - 1
      if (following.current && (caret === undefined || caret === last)) el.scrollTop = el.scrollHeight
    }
    const watch = new ResizeObserver(onGrowth)
    for (const child of el.children) watch.observe(child)
    el.addEventListener("scroll", onScroll, { passive: true })
    return () => {
      watch.disconnect()
      el.removeEventListener("scroll", onScroll)
    }
  }, [scroller, remember])

  return useMemo(
    () => ({
      virtual,
      reveal(id, align = "auto") {
        const index = now.current.at.get(id)
        if (index === undefined) return false
        following.current = false
        virtual.scrollToIndex(index, { align })
        return true
      },
      toEnd() {
        following.current = true
        const el = scroller.current
        if (el) el.scrollTop = el.scrollHeight
      },
    }),
    [virtual, scroller],
  )
}

/** The lines of a range with those that are kept, in order. */
function withKept(range: number[], keep: readonly number[]): number[] {
  const extra = keep.filter(n => n < (range[0] ?? 0) || n > (range.at(-1) ?? -1))
  return extra.length ? [...new Set([...range, ...extra])].sort((a, b) => a - b) : range
}
