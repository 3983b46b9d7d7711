import type { ReactNode } from "react"
import { cx } from "./classes"
import styles from "./Small.module.css"

export type Tone = "plain" | "accent" | "ok" | "warn" | "danger" | "hue"

/** A word or a number about the thing beside it. With tone "hue" it takes the colour of the .hue-N around it. */
export function Badge({ tone = "plain", title, className, children }: { tone?: Tone; title?: string; className?: string; children: ReactNode }) {
  return (
    <span className={cx(styles.badge, styles[tone], className)} title={title}>
      {children}
    </span>
  )
}

/** A number that stands for so many things; `of` says which, as in "3 unread". Nothing for none. */
export function Count({ n, of, tone = "plain", unread = false }: { n: number; of: string; tone?: Tone; unread?: boolean }) {
  if (!(n > 0)) return null
  return (
    <span className={cx(styles.badge, styles.count, styles[tone])} role="img" aria-label={`${n} ${of}`} title={`${n} ${of}`} data-unread={unread ? n : undefined}>
      {n > 999 ? "999+" : n}
    </span>
  )
}
