import type { ReactNode } from "react"
import styles from "./Small.module.css"

/** What stands where nothing is: why, and what may be done. */
export function Empty({ icon, title, children, action }: { icon?: ReactNode; title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles.empty}>
      {icon}
      <h2>{title}</h2>
      {children && (typeof children === "string" ? <p>{children}</p> : children)}
      {action && <div className={styles.emptyAction}>{action}</div>}
    </div>
  )
}
