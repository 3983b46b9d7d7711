import { Badge, TimeAgo } from "../parts"
import type { NodeStatus } from "./answers"
import styles from "./Status.module.css"
import { many, natsText, outboxText, streamsText } from "./words"

/** The servers that hold the kernel together, and what goes between them. */
export function Nodes({ status: s }: { status: NodeStatus }) {
  const facts: [string, string][] = [
    ["Between nodes", natsText(s)],
    ["Outbox", outboxText(s)],
    ...(s.nats.embedded ? [] : ([["Streams", streamsText(s)], ["Traffic", `${s.traffic.sent.toLocaleString("en")} sent, ${s.traffic.taken.toLocaleString("en")} taken, ${s.traffic.healed.toLocaleString("en")} healed`]] as [string, string][])),
    ["Records", s.records.toLocaleString("en")],
  ]
  return (
    <section className={styles.section}>
      <h2>Nodes</h2>
      <div className={styles.scroll} tabIndex={0} role="group" aria-label="Nodes">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Node</th>
              <th scope="col">State</th>
              <th scope="col">Documents</th>
              <th scope="col">Outbox</th>
              <th scope="col">Lag</th>
              <th scope="col">Version</th>
              <th scope="col">Up since</th>
            </tr>
          </thead>
          <tbody>
            {s.nodes.map(n => (
              <tr key={n.id}>
                <th scope="row">
                  {n.name || n.id.slice(0, 8)} <span className={styles.faint}>{n.address}</span>
                </th>
                <td>{n.self ? <Badge tone="accent">this one</Badge> : n.lag > 0 ? <Badge tone="warn">behind</Badge> : <span>seen <TimeAgo at={n.seen} /></span>}</td>
                <td>{n.documents.toLocaleString("en")}</td>
                <td>{n.outbox.toLocaleString("en")}</td>
                <td>{n.lag === 0 ? "none" : many(n.lag, "batch", "batches")}</td>
                <td>{n.version || "—"}</td>
                <td>{n.started ? <TimeAgo at={n.started} /> : "—"}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <dl className={styles.facts}>
        {facts.map(([k, v]) => (
          <div key={k}>
            <dt>{k}</dt>
            <dd>{v}</dd>
          </div>
        ))}
      </dl>
      {s.traffic.refused.length > 0 && (
        <details className={styles.more}>
          <summary>{many(s.traffic.refused.reduce((sum, r) => sum + r.count, 0), "message")} refused</summary>
          <ul>{s.traffic.refused.map(r => <li key={r.reason}>{r.count.toLocaleString("en")}: {r.reason}</li>)}</ul>
        </details>
      )}
    </section>
  )
}
