import { cx } from "./classes"
import styles from "./Small.module.css"

const tones = { accent: "", ok: styles.barOk, warn: styles.barWarn, danger: styles.barDanger }

/** How much of something there is; without a value nobody knows how long it takes. */
export function ProgressBar({ value, max = 1, label, tone = "accent" }: { value?: number; max?: number; label: string; tone?: keyof typeof tones }) {
  return <progress className={cx(styles.bar, tones[tone])} aria-label={label} max={max} value={value === undefined ? undefined : Math.min(Math.max(value, 0), max)} />
}
