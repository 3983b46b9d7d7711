import type { Preview as PreviewRow } from "../core/context"
import { Spinner } from "../parts"
import styles from "./Preview.module.css"

const maxShown = 40

/** The beginning of a context as the server lists it, until the document itself is there. */
export function Preview({ rows }: { rows: readonly PreviewRow[] | null }) {
  return (
    <section className={styles.preview} aria-label="Loading the context" aria-busy="true">
      <div className={styles.title}>
        <Spinner label="Loading" />
      </div>
      {rows?.slice(0, maxShown).map(row => (
        <article key={row.id} data-preview={row.id} className={styles.row} style={{ marginLeft: Math.min(row.depth, 8) * 20 }}>
          <p className={styles.about}>
            {row.author} · {row.kind}
          </p>
          <p className={styles.text}>{row.content}</p>
        </article>
      ))}
    </section>
  )
}
