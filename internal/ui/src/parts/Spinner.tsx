import { cx } from "./classes"
import styles from "./Small.module.css"

/** Something is under way. With a label it is said too. */
export function Spinner({ label, large = false }: { label?: string; large?: boolean }) {
  return <span className={cx(styles.spinner, large && styles.large)} role={label ? "status" : undefined} aria-label={label} aria-hidden={label ? undefined : true} />
}
