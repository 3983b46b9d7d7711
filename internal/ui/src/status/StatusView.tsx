// How the kernel fares: what is wrong first, in plain words, then its nodes,
// its disk, who is connected, and who may do what.

import { CircleCheck, CloudOff, TriangleAlert } from "lucide-react"
import { useEffect, useMemo, useRef, useState } from "react"
import { useMe, useOp } from "../core/hooks"
import { Refused, Unreachable } from "../core/ops"
import { Button, Empty, Spinner, TimeAgo } from "../parts"
import { nodeStatusFrom, serverStatusFrom, type ServerStatus } from "./answers"
import { Access } from "./Access"
import { Connections } from "./Connections"
import { Nodes } from "./Nodes"
import { Mean, Rate, Samples } from "./samples"
import { Seats } from "./Seats"
import { Sparkline } from "./Sparkline"
import styles from "./Status.module.css"
import { leftText, microsText, sizeText, wordsOf } from "./words"

/** How often it is asked while the page is open, in milliseconds. */
const everyMillis = 3000

export default function StatusView() {
  const server = useOp<unknown>("server_status", {}, { every: everyMillis })
  const node = useOp<unknown>("node_status", {}, { every: everyMillis })
  const me = useMe()
  const s = useMemo(() => (server.data === undefined ? null : serverStatusFrom(server.data)), [server.data])
  const n = useMemo(() => (node.data === undefined ? null : nodeStatusFrom(node.data)), [node.data])
  const curves = useCurves(s, server.data)
  const error = server.error ?? node.error
  if (!s || !n) return <section className={styles.view} aria-label="Status"><Missing error={error} reload={() => (server.reload(), node.reload())} /></section>
  const owner = me?.role === "owner" || s.connections !== null
  return (
    <section className={styles.view} aria-label="Status">
      <div className={styles.inner}>
        <header className={styles.head}>
          <h1>Kernel {s.kernel}</h1>
          <span className={styles.faint}>
            {me && `You are ${me.principal}, ${me.role}. `}
            Version {s.version || "unknown"}
            {s.started && <>, started <TimeAgo at={s.started} /></>}
          </span>
        </header>
        {error && (
          <p className={styles.stale} role="status">
            <CloudOff aria-hidden /> {error instanceof Unreachable ? "The server is away. This is how it was." : wordsOf(error)}
          </p>
        )}
        <Wrong problems={n.problems} behind={s.behind} trouble={s.storage.trouble} />
        <div className={styles.tiles}>
          <Tile title="Editors" value={s.peers.toLocaleString("en")} of="editors" more={s.behind > 0 ? `${s.behind} behind` : undefined} samples={curves.peers} />
          <Tile title="Changes a second" value={rate(curves.changes)} of="changes a second" more={`${s.changes.toLocaleString("en")} since the start`} samples={curves.changes} />
          <Tile title="Wait for the disk" value={curves.writes.length > 0 ? microsText(curves.writes.at(-1)!) : s.commits > 0 ? microsText(s.storage.writeMicros / s.commits) : "—"} of="time of a write" more={s.storage.longestMicros > 0 ? `longest ${microsText(s.storage.longestMicros)}` : undefined} samples={curves.writes} />
          <Tile title="Open documents" value={s.open.documents.toLocaleString("en")} of="open documents" more={`${sizeText(s.open.bytes)} of memory`} samples={curves.open} />
        </div>
        <Storage status={s} />
        <Nodes status={n} />
        {owner && s.connections && <Connections rows={s.connections} all={s.peers} />}
        <Seats />
        {owner && <Access />}
      </div>
    </section>
  )
}

function Missing({ error, reload }: { error: Error | null; reload(): void }) {
  if (!error) return <div className={styles.waiting}><Spinner label="Reading the status" large /></div>
  const denied = error instanceof Refused && error.kind === "denied"
  const away = error instanceof Unreachable
  return (
    <Empty icon={away ? <CloudOff aria-hidden /> : <TriangleAlert aria-hidden />} title={denied ? "Not for you" : away ? "The server is away" : "Cannot read the status"} action={!denied && <Button onClick={reload}>Try again</Button>}>
      {away ? "How it fares is read when it is back." : wordsOf(error)}
    </Empty>
  )
}

function Wrong({ problems, behind, trouble }: { problems: readonly string[]; behind: number; trouble: string }) {
  const all = [...(trouble && !problems.some(p => p.includes(trouble)) ? [`edits are refused: ${trouble}`] : []), ...problems]
  if (all.length === 0) {
    return (
      <p className={styles.well} role="status">
        <CircleCheck aria-hidden /> Nothing is wrong.{behind > 0 && ` ${behind} ${behind === 1 ? "editor reads" : "editors read"} slowly; nobody waits for them, and they miss nothing.`}
      </p>
    )
  }
  return (
    <div className={styles.wrong} role="alert">
      <h2><TriangleAlert aria-hidden /> What is wrong</h2>
      <ul>{all.map((p, n) => <li key={n}>{p[0]?.toUpperCase()}{p.slice(1)}</li>)}</ul>
    </div>
  )
}

function Tile({ title, value, of, more, samples }: { title: string; value: string; of: string; more?: string | undefined; samples: readonly number[] }) {
  return (
    <div className={styles.tile}>
      <span className={styles.faint}>{title}</span>
      <b>{value}</b>
      <Sparkline values={samples} label={`${of} over the last minutes`} />
      <small>{more ?? "\u00a0"}</small>
    </div>
  )
}

function Storage({ status: s }: { status: ServerStatus }) {
  const facts: [string, string][] = [
    ["On disk", sizeText(s.diskBytes)],
    ["Free", s.storage.free > 0 ? (s.storage.free > 2 ** 60 ? "no limit known" : sizeText(s.storage.free)) : "unknown"],
    ["Documents", s.storage.documents.toLocaleString("en")],
    ["Snapshots written", s.snapshots.toLocaleString("en")],
    ["Documents closed", s.evicted.toLocaleString("en")],
    ["Writes refused", s.storage.refused.toLocaleString("en")],
    ["Drifts", `${s.drift.staged} staged, ${s.drift.held} held, ${s.drift.dead} dead`],
    ["Distiller", s.drift.distiller || "extractive"],
    ["Up for", s.started ? leftText(Date.now() - Date.parse(s.started)) : "unknown"],
    ["Signing in", s.auth === "token" ? "by token" : s.auth === "local" ? "on this machine, without a token" : s.auth],
  ]
  return (
    <section className={styles.section}>
      <h2>Storage and server</h2>
      <dl className={styles.facts}>
        {facts.map(([k, v]) => (
          <div key={k}>
            <dt>{k}</dt>
            <dd>{v}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

const rate = (values: readonly number[]) => {
  const v = values.at(-1)
  return v === undefined ? "—" : v < 10 && v > 0 ? v.toFixed(1) : Math.round(v).toLocaleString("en")
}

/** The curves of this page, from what it was told since it is open. */
function useCurves(s: ServerStatus | null, answer: unknown) {
  const kept = useRef({ peers: new Samples(), changes: new Samples(), writes: new Samples(), open: new Samples(), grew: new Rate(), mean: new Mean() })
  const [shown, setShown] = useState({ peers: [] as readonly number[], changes: [] as readonly number[], writes: [] as readonly number[], open: [] as readonly number[] })
  useEffect(() => {
    if (!s) return
    const k = kept.current
    k.peers.push(s.peers)
    k.open.push(s.open.documents)
    const grew = k.grew.next(s.changes, Date.now())
    if (grew !== null) k.changes.push(grew)
    const mean = k.mean.next(s.storage.writeMicros, s.commits)
    if (mean !== null) k.writes.push(mean)
    setShown({ peers: [...k.peers.values], changes: [...k.changes.values], writes: [...k.writes.values], open: [...k.open.values] })
  }, [answer])
  return shown
}
