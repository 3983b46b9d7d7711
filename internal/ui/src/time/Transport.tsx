// The slider over the history, and what drives it.

import { ChevronFirst, ChevronLast, GitFork, GitMerge, Pause, Play, StepBack, StepForward } from "lucide-react"
import { useEffect, useState } from "react"
import { colourOf } from "../core/actors"
import { Avatar, IconButton } from "../parts"
import type { Point } from "./points"
import { Strip } from "./Strip"
import styles from "./Transport.module.css"
import { operationOf, plural, sayPoint, whatOf, whenExactly, whoOf } from "./words"

export interface TransportProps {
  points: readonly Point[]
  index: number
  onIndex(index: number): void
  /** The other thumb, of a comparison with a point; null for none. */
  other: number | null
  onOther(index: number): void
  /** The point that shows is there: playing goes on only then. */
  ready: boolean
}

/** How long a point is shown while playing, in milliseconds. */
const speeds = [
  { title: "½×", millis: 2000 },
  { title: "1×", millis: 1000 },
  { title: "2×", millis: 500 },
  { title: "4×", millis: 250 },
  { title: "8×", millis: 125 },
] as const

export function Transport({ points, index, onIndex, other, onOther, ready }: TransportProps) {
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState(1)
  const last = points.length - 1
  const point = points[index]
  useEffect(() => {
    if (!playing || !ready) return
    if (index >= last) return setPlaying(false)
    // Whoever wants less motion gets no more than a picture a second.
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1000 : 0
    const timer = setTimeout(() => onIndex(index + 1), Math.max(calm, speeds[speed]!.millis))
    return () => clearTimeout(timer)
  }, [playing, ready, index, last, speed, onIndex])
  if (!point) return null
  const go = (to: number) => {
    setPlaying(false)
    onIndex(Math.max(0, Math.min(last, to)))
  }
  const play = () => {
    if (!playing && index >= last) onIndex(0)
    setPlaying(!playing)
  }
  return (
    <div className={styles.transport} role="group" aria-label="Time">
      <div className={styles.track}>
        <Strip points={points} />
        <input
          className={styles.slider}
          type="range"
          min={0}
          max={Math.max(last, 0)}
          step={1}
          value={index}
          onChange={e => go(e.currentTarget.valueAsNumber)}
          onKeyDown={e => {
            if (e.key !== "PageUp" && e.key !== "PageDown") return
            e.preventDefault() // a tenth of the whole is not the same in all browsers
            go(index + (e.key === "PageUp" ? 1 : -1) * Math.max(1, Math.round(points.length / 10)))
          }}
          aria-label="Point in time"
          aria-valuetext={sayPoint(point)}
        />
        {other !== null && points[other] && (
          <input
            className={styles.slider}
            data-other
            type="range"
            min={0}
            max={Math.max(last, 0)}
            step={1}
            value={other}
            onChange={e => onOther(e.currentTarget.valueAsNumber)}
            aria-label="Point to compare with"
            aria-valuetext={sayPoint(points[other])}
          />
        )}
      </div>
      <div className={styles.controls}>
        <div className={styles.buttons}>
          <IconButton label="First point" icon={<ChevronFirst />} size="s" disabled={index === 0} onClick={() => go(0)} />
          <IconButton label="Step back" icon={<StepBack />} size="s" disabled={index === 0} onClick={() => go(index - 1)} />
          <IconButton label={playing ? "Pause" : "Play"} icon={playing ? <Pause /> : <Play />} onClick={play} disabled={last < 1} />
          <IconButton label="Step forward" icon={<StepForward />} size="s" disabled={index >= last} onClick={() => go(index + 1)} />
          <IconButton label="Now" icon={<ChevronLast />} size="s" disabled={index >= last} onClick={() => go(last)} />
          <select className={styles.speed} aria-label="Speed" value={speed} onChange={e => setSpeed(Number(e.currentTarget.value))}>
            {speeds.map((s, n) => <option key={s.title} value={n}>{s.title}</option>)}
          </select>
        </div>
        <PointLine point={point} />
        <span className={styles.count}>{(index + 1).toLocaleString("en")} of {points.length.toLocaleString("en")}</span>
      </div>
    </div>
  )
}

/** A point in a line: who, when, what. */
function PointLine({ point }: { point: Point }) {
  const operation = operationOf(point)
  return (
    <p className={styles.point}>
      <Avatar name={point.author} hue={colourOf(point.author)} size={20} label="" />
      <strong>{whoOf(point)}</strong>
      {point.via && <span className={styles.faint}>via {point.via}</span>}
      <time dateTime={new Date(point.last).toISOString()}>{whenExactly(point.last)}</time>
      <span className={styles.faint}>
        {[whatOf(point), plural(point.touched, "block"), point.changes > 1 && plural(point.changes, "change"), operation].filter(Boolean).join(" · ")}
      </span>
      {point.merge && <span className={styles.mark} title="Lines of work came together here"><GitMerge size={13} aria-hidden /> merge</span>}
      {point.fork && <span className={styles.mark} title="Lines of work part here"><GitFork size={13} aria-hidden /> fork</span>}
    </p>
  )
}
