import { useEffect, useRef, useState } from "react"
import styles from "./Requests.module.css"
import { leftText } from "./words"

/** How long there is still; calls `onOver` once when it is over. */
export function TimeLeft({ until, onOver }: { until: string; onOver(): void }) {
  const [now, setNow] = useState(Date.now)
  const end = Date.parse(until)
  const left = end - now
  const over = useRef(onOver)
  over.current = onOver
  const done = !(left > 0)
  useEffect(() => {
    if (done) {
      if (Number.isFinite(end)) over.current()
      return
    }
    const timer = setInterval(() => setNow(Date.now()), left < 120_000 ? 1000 : 15_000)
    return () => clearInterval(timer)
  }, [done, left < 120_000, end])
  if (!Number.isFinite(end)) return null
  return (
    <time className={styles.left} dateTime={until} data-soon={left < 60_000}>
      {done ? "over" : `${leftText(left)} left`}
    </time>
  )
}
