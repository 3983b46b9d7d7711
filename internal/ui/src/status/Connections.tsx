import { colourOf } from "../core/actors"
import { Avatar, Badge, TimeAgo } from "../parts"
import type { Connection } from "./answers"
import styles from "./Status.module.css"
import { many, waitingText } from "./words"

/** The editors that are worst off, and how far behind they are. */
export function Connections({ rows, all }: { rows: readonly Connection[]; all: number }) {
  return (
    <section className={styles.section}>
      <h2>Connections</h2>
      {rows.length === 0 ? (
        <p className={styles.faint}>No editor is connected.</p>
      ) : (
        <div className={styles.scroll} tabIndex={0} role="group" aria-label="Connections">
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">Who</th>
                <th scope="col">State</th>
                <th scope="col">Waits for it</th>
                <th scope="col">Documents</th>
                <th scope="col">Last read</th>
                <th scope="col">Connected</th>
              </tr>
            </thead>
            <tbody>
              {rows.map(c => (
                <tr key={c.peer}>
                  <th scope="row">
                    <span className={styles.who} title={c.peer}>
                      <Avatar name={c.principal} kind={kindOf(c.kind)} hue={colourOf(c.principal)} size={20} label="" /> {c.principal}
                    </span>
                  </th>
                  <td>{c.behind ? <Badge tone="warn">behind since <TimeAgo at={c.behind} /></Badge> : "keeps up"}</td>
                  <td>{waitingText(c)}</td>
                  <td>{c.documents.toLocaleString("en")}</td>
                  <td>{c.wrote ? <TimeAgo at={c.wrote} /> : "never"}</td>
                  <td>{c.since ? <TimeAgo at={c.since} /> : "—"}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {all > rows.length && <p className={styles.faint}>and {many(all - rows.length, "editor")} that {all - rows.length === 1 ? "is" : "are"} better off</p>}
    </section>
  )
}

export const kindOf = (kind: string): "person" | "agent" | "service" | "unknown" => (kind === "person" || kind === "agent" || kind === "service" ? kind : "unknown")
