// Panning and zooming a drawing: by pointer, wheel and pinch. The view is
// written straight into the element, so that nothing is rendered for it.

import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react"
import { fitting, panned, resized, zoomed, type Size, type View } from "./viewport"
import type { Point } from "./layout"

export interface Viewer {
  size: Size
  fit(): void
  zoom(by: number): void
  /** Sets the view as a function of the present one. */
  move(to: (view: View) => View): void
  /** Whether the pointer that was just let go had dragged. */
  dragged(): boolean
}

const dragPixels = 4

export function useView(svg: RefObject<SVGSVGElement | null>, drawing: Size | null): Viewer {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 })
  const now = useRef({ view: { x: 0, y: 0, width: 1, height: 1 } as View, size, drawing, touched: false, dragged: false })

  const show = useCallback((view: View) => {
    now.current.view = view
    svg.current?.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`)
  }, [svg])
  const fit = useCallback(() => {
    const { drawing, size } = now.current
    if (drawing && size.width > 0) show(fitting(drawing, size))
  }, [show])

  useEffect(() => {
    const el = svg.current?.parentElement
    if (!el) return
    const watch = new ResizeObserver(() => {
      const after = { width: el.clientWidth, height: el.clientHeight }
      const { size: before, view, touched } = now.current
      if (after.width === 0 || after.height === 0) return
      now.current.size = after
      setSize(after)
      if (touched && before.width > 0) show(resized(view, before, after))
      else fit()
    })
    watch.observe(el)
    return () => watch.disconnect()
  }, [svg, show, fit])

  useEffect(() => {
    now.current.drawing = drawing
    if (!now.current.touched) fit()
  }, [drawing, fit])

  useEffect(() => {
    const el = svg.current
    if (!el) return
    return pointers(el, {
      pan: (dx, dy) => show(panned(now.current.view, now.current.size, dx, dy)),
      zoom: (by, at) => show(zoomed(now.current.view, now.current.size, by, at)),
      touched: dragged => {
        now.current.touched = true
        now.current.dragged = dragged
      },
      begin: () => (now.current.dragged = false),
    })
  }, [svg, show])

  useEffect(() => {
    // On paper everything is seen.
    let before: View | null = null
    const print = () => {
      before = now.current.view
      const { drawing } = now.current
      if (drawing) show({ x: -8, y: -8, width: drawing.width + 16, height: drawing.height + 16 })
    }
    const back = () => before && show(before)
    addEventListener("beforeprint", print)
    addEventListener("afterprint", back)
    return () => {
      removeEventListener("beforeprint", print)
      removeEventListener("afterprint", back)
    }
  }, [show])

  return useMemo(
    () => ({
      size,
      fit: () => {
        now.current.touched = false
        fit()
      },
      zoom: by => {
        now.current.touched = true
        show(zoomed(now.current.view, now.current.size, by))
      },
      move: to => {
        now.current.touched = true
        show(to(now.current.view))
      },
      dragged: () => now.current.dragged,
    }),
    [size, fit, show],
  )
}

interface Gestures {
  pan(dx: number, dy: number): void
  zoom(by: number, at: Point): void
  touched(dragged: boolean): void
  begin(): void
}

/** Follows the pointers on an element: one pans, two zoom. */
function pointers(el: SVGSVGElement, g: Gestures): () => void {
  const down = new Map<number, Point>()
  let way = 0
  const shareOf = (x: number, y: number): Point => {
    const box = el.getBoundingClientRect()
    return { x: (x - box.left) / box.width, y: (y - box.top) / box.height }
  }
  const begin = (e: PointerEvent) => {
    if (e.button !== 0) return
    if (down.size === 0) {
      way = 0
      g.begin()
    }
    down.set(e.pointerId, { x: e.clientX, y: e.clientY })
  }
  const move = (e: PointerEvent) => {
    const before = down.get(e.pointerId)
    if (!before) return
    const here = { x: e.clientX, y: e.clientY }
    way += Math.abs(here.x - before.x) + Math.abs(here.y - before.y)
    if (way < dragPixels) return
    // Captured only now: a click on a node stays the node's.
    if (!el.hasPointerCapture(e.pointerId)) el.setPointerCapture(e.pointerId)
    g.touched(true)
    const other = [...down].find(([id]) => id !== e.pointerId)?.[1]
    if (other) {
      const [d0, d1] = [Math.hypot(before.x - other.x, before.y - other.y), Math.hypot(here.x - other.x, here.y - other.y)]
      if (d0 > 0) g.zoom(d1 / d0, shareOf((here.x + other.x) / 2, (here.y + other.y) / 2))
      g.pan((here.x - before.x) / 2, (here.y - before.y) / 2)
    } else g.pan(here.x - before.x, here.y - before.y)
    down.set(e.pointerId, here)
  }
  const end = (e: PointerEvent) => down.delete(e.pointerId)
  const wheel = (e: WheelEvent) => {
    e.preventDefault()
    g.touched(false)
    const unit = e.deltaMode === 1 ? 16 : 1
    if (e.ctrlKey || e.metaKey) g.zoom(Math.exp(-e.deltaY * unit * 0.004), shareOf(e.clientX, e.clientY))
    else g.pan(-e.deltaX * unit, -e.deltaY * unit)
  }
  const stops = [
    listen(el, "pointerdown", begin),
    listen(el, "pointermove", move),
    listen(el, "pointerup", end),
    listen(el, "pointercancel", end),
    listen(el, "wheel", wheel),
  ]
  return () => stops.forEach(stop => stop())
}

function listen<K extends keyof SVGElementEventMap>(el: SVGSVGElement, name: K, fn: (e: SVGElementEventMap[K]) => void): () => void {
  el.addEventListener(name, fn, { passive: false })
  return () => el.removeEventListener(name, fn)
}
