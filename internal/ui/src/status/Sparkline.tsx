import styles from "./Status.module.css"

const width = 120
const height = 28

/** A few numbers as a curve: how it went, not how much. */
export function Sparkline({ values, label }: { values: readonly number[]; label: string }) {
  const top = Math.max(...values, 0)
  const low = values.length > 0 ? Math.min(...values) : 0
  const last = values.at(-1) ?? 0
  const say = values.length < 2 ? `${label}: not known yet` : `${label}: from ${nice(low)} to ${nice(top)}, now ${nice(last)}`
  const step = width / Math.max(values.length - 1, 1)
  const y = (v: number) => height - 2 - (top > 0 ? (v / top) * (height - 4) : 0)
  const points = values.map((v, n) => `${(n * step).toFixed(1)},${y(v).toFixed(1)}`).join(" ")
  return (
    <svg className={styles.spark} viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" role="img" aria-label={say}>
      {values.length > 1 ? <polyline points={points} fill="none" vectorEffect="non-scaling-stroke" /> : <line x1="0" x2={width} y1={height - 2} y2={height - 2} vectorEffect="non-scaling-stroke" />}
    </svg>
  )
}

const nice = (n: number) => (n >= 100 ? Math.round(n).toLocaleString("en") : Number(n.toPrecision(2)).toString())
