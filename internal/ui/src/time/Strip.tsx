// How much was done when, and by whom: a bar for each stretch of the slider, in
// the colours of the authors.

import { useEffect, useRef } from "react"
import { colourOf } from "../core/actors"
import type { Point } from "./points"
import styles from "./Transport.module.css"

const barWidth = 4
const height = 36
/** A bar of so many changes is a high one, where there is none of more. */
const usual = 12

/** What a bar stands for: changes by hue. */
export function barsOf(points: readonly Point[], bars: number): Map<number, number>[] {
  const out = Array.from({ length: Math.max(1, bars) }, () => new Map<number, number>())
  points.forEach((p, i) => {
    const bar = out[Math.min(out.length - 1, Math.floor(((i + 0.5) / points.length) * out.length))]!
    const names = [p.author, ...p.others]
    // Of several only the first is known to have done most.
    const share = p.changes / (names.length + 1)
    names.forEach((name, n) => {
      const hue = colourOf(name)
      bar.set(hue, (bar.get(hue) ?? 0) + (n === 0 ? 2 * share : share))
    })
  })
  return out
}

export function Strip({ points }: { points: readonly Point[] }) {
  const ref = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const canvas = ref.current
    if (!canvas) return
    const draw = () => paint(canvas, points)
    draw()
    const sizes = new ResizeObserver(draw)
    sizes.observe(canvas)
    const theme = new MutationObserver(draw)
    theme.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] })
    const dark = matchMedia("(prefers-color-scheme: dark)")
    dark.addEventListener("change", draw)
    return () => {
      sizes.disconnect()
      theme.disconnect()
      dark.removeEventListener("change", draw)
    }
  }, [points])
  return <canvas ref={ref} className={styles.strip} aria-hidden />
}

function paint(canvas: HTMLCanvasElement, points: readonly Point[]): void {
  const width = canvas.clientWidth
  const g = canvas.getContext("2d")
  if (!g || width === 0) return
  const scale = devicePixelRatio || 1
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  g.scale(scale, scale)
  g.clearRect(0, 0, width, height)
  if (points.length === 0) return
  // With few points each has a bar of its own, below its place on the slider.
  const bars = barsOf(points, Math.min(points.length, Math.floor(width / barWidth)))
  const step = width / bars.length
  const most = Math.max(usual, ...bars.map(total))
  const colours = huesOf(canvas)
  bars.forEach((bar, i) => {
    const sum = total(bar)
    if (sum === 0) return
    const tall = 3 + (height - 4) * (Math.log1p(sum) / Math.log1p(most))
    let y = height
    for (const [hue, n] of [...bar].sort(([a], [b]) => a - b)) {
      const part = (tall * n) / sum
      g.fillStyle = colours[hue] ?? "gray"
      g.fillRect(i * step, y - part, Math.max(1, Math.min(step - 1, 14)), part)
      y -= part
    }
  })
}

const total = (bar: Map<number, number>) => [...bar.values()].reduce((a, b) => a + b, 0)

/** The twelve hues as the theme has them: a canvas knows no variables. */
function huesOf(canvas: HTMLCanvasElement): string[] {
  const probe = document.createElement("span")
  canvas.parentElement?.append(probe)
  const hues = Array.from({ length: 12 }, (_, n) => {
    probe.style.color = `var(--hue-${n})`
    return getComputedStyle(probe).color
  })
  probe.remove()
  return hues
}
