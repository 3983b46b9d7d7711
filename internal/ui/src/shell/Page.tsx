import type { ReactNode } from "react"
import styles from "./Pages.module.css"

/** A page of a few words, in place of a view. */
export function Page({ title, mark, actions, children }: { title: string; mark?: ReactNode; actions?: ReactNode; children?: ReactNode }) {
  return (
    <section className={styles.page} aria-label={title}>
      <div className={styles.inner}>
        {mark && <span className={styles.mark}>{mark}</span>}
        <h1>{title}</h1>
        {children}
        {actions && <div className={styles.actions}>{actions}</div>}
      </div>
    </section>
  )
}
