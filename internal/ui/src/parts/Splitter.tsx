import { useRef, type KeyboardEvent, type PointerEvent } from "react"
import styles from "./Small.module.css"

export interface SplitterProps {
  label: string
  /** The width of the panel that it sizes, in pixels, and its bounds. */
  value: number
  min: number
  max: number
  onChange(value: number): void
  /** Which side of the splitter that panel is on. Default "left". */
  side?: "left" | "right"
}

const stepPixels = 16

/** The line between two panels, to be dragged or moved by the arrow keys. */
export function Splitter({ label, value, min, max, onChange, side = "left" }: SplitterProps) {
  const from = useRef<{ x: number; value: number } | null>(null)
  const way = side === "left" ? 1 : -1
  const set = (next: number) => onChange(Math.min(max, Math.max(min, Math.round(next))))
  const down = (e: PointerEvent<HTMLDivElement>) => {
    if (e.button !== 0) return
    e.preventDefault()
    e.currentTarget.setPointerCapture(e.pointerId)
    from.current = { x: e.clientX, value }
  }
  const key = (e: KeyboardEvent) => {
    const to = { ArrowLeft: value - way * stepPixels, ArrowRight: value + way * stepPixels, Home: min, End: max }[e.key]
    if (to === undefined) return
    e.preventDefault()
    set(to)
  }
  return (
    <div
      className={styles.splitter}
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={value}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onKeyDown={key}
      onPointerDown={down}
      onPointerMove={e => from.current && set(from.current.value + way * (e.clientX - from.current.x))}
      onPointerUp={() => (from.current = null)}
      onPointerCancel={() => (from.current = null)}
    />
  )
}
