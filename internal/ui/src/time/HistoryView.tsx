// A context over time: the blocks as they were at a point, a slider over the
// points, and the difference of two of them.

import { History as HistoryIcon, WifiOff } from "lucide-react"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import type { AutomergeUrl } from "@automerge/automerge-repo/slim"
import { useCommands } from "../core/commands"
import { uuidOf } from "../core/directory"
import { useLink, useModel } from "../core/hooks"
import { format, go } from "../core/route"
import { Button, Empty, Spinner, toast } from "../parts"
import type { DiffMode } from "../parts/diff/DiffView"
import { BlockStates } from "./BlockStates"
import { CompareView } from "./CompareView"
import styles from "./HistoryView.module.css"
import { Past, touchedBetween, type PastBlock } from "./past"
import { PastBlocks } from "./PastBlocks"
import { indexAtTime, indexOfMoment, momentOf, type Point } from "./points"
import { restoreBlock } from "./restore"
import { Since } from "./Since"
import { Toolbar, type CompareWith } from "./Toolbar"
import { Transport } from "./Transport"
import { useHistory } from "./useHistory"
import { usePast } from "./usePast"
import { lastSeen } from "./seen"
import { say, when, whenExactly } from "./words"

export interface HistoryViewProps {
  url: string
  /** Heads joined by commas, or a version. */
  at?: string
  /** What it is compared with: likewise, or "previous" or "now". */
  to?: string
}

const nothing: ReadonlySet<string> = new Set()
/** The address follows the slider when that rests. */
const addressMillis = 400

export default function HistoryView({ url, at, to }: HistoryViewProps) {
  const context = useMemo(() => uuidOf(url as AutomergeUrl), [url])
  const link = useLink()
  const heads = useHeads(url)
  const [grain, setGrain] = useState("")
  const [author, setAuthor] = useState("")
  const { history, error, loading, reload } = useHistory(context, grain, author, heads)
  const [place, setPlace] = useState<{ moment: string; version: number } | null>(at ? { moment: at, version: 0 } : null)
  const [compare, setCompare] = useState<CompareWith>(compareOf(to))
  const [other, setOther] = useState<string>(compareOf(to) === "point" ? to! : "")
  const [mode, setMode] = useState<DiffMode>("inline")
  const [states, setStates] = useState<PastBlock | null>(null)
  const past = useMemo(() => new Past(context), [context])
  useEffect(() => () => past.close(), [past])

  const points = history?.points ?? []
  const index = indexOf(points, place)
  const point = points[index]
  const moment = place?.moment ?? (point ? momentOf(point) : null)
  const around = useMemo(() => [1, -1, 2, -2, 3].flatMap(d => (points[index + d] ? [momentOf(points[index + d]!)] : [])), [points, index])
  const { state, late, error: broken } = usePast(past, moment, around, link.connected)
  const before = points[index - 1]
  const prior = before && past.peek(momentOf(before))
  const { made, changed } = useMemo(() => marksOf(state, prior, point), [state, prior, point])
  // A link names heads; where they are on the slider is known with the state.
  useEffect(() => {
    if (place?.version === 0 && state?.moment === place.moment) setPlace({ moment: place.moment, version: state.version })
  }, [place, state])

  const toIndex = useCallback(
    (n: number) => {
      const p = points[n]
      if (p) setPlace(n === points.length - 1 ? null : { moment: momentOf(p), version: p.version })
    },
    [points],
  )
  const seen = useMemo(() => lastSeen(context), [context])
  const pair = pairOf(compare, { points, index, moment: moment ?? "", other, seen: seen?.heads.join(",") ?? "" })
  useAddress(url, place?.moment, compare === "point" ? other : compare === "none" || compare === "seen" ? "" : compare)
  useCommands(
    () => [
      { id: "history.back", title: "Step back in time", group: "History", keys: ",", run: () => toIndex(index - 1), enabled: () => index > 0 },
      { id: "history.forward", title: "Step forward in time", group: "History", keys: ".", run: () => toIndex(index + 1), enabled: () => index < points.length - 1 },
      { id: "history.previous", title: "Compare with the previous step", group: "History", run: () => setCompare("previous") },
      { id: "history.now", title: "Compare with now", group: "History", run: () => setCompare("now") },
    ],
    [toIndex, index, points.length],
  )
  const copy = () => {
    const address = new URL(format({ view: "history", url, at: moment ?? undefined, to: pair && compare !== "seen" ? (compare === "point" ? other : compare) : undefined }), location.href).href
    navigator.clipboard?.writeText(address).then(() => toast({ text: "The link is copied.", kind: "ok" }), () => toast(address)) ?? toast(address)
  }
  const onRestore = useCallback((block: PastBlock) => void restoreBlock(context, block, point?.last ?? Date.now()), [context, point?.last])
  const onCompare = (what: CompareWith) => {
    if (what === "point" && !other && point) setOther(momentOf(points[Math.max(0, index - 1)]!))
    setCompare(what)
  }

  if (!history) return <section className={styles.view} aria-label="History"><Beginning error={error} loading={loading} offline={!link.connected} reload={reload} /></section>
  return (
    <section className={styles.view} aria-label="History">
      <h1 className="sr-only">History of {state?.title || "this context"}</h1>
      <Toolbar
        onBack={() => go({ view: "context", url })}
        grain={grain}
        fitting={grain ? "" : history.grain.title}
        onGrain={setGrain}
        author={author}
        authors={history.authors}
        onAuthor={name => (setAuthor(name), setPlace(null))}
        compare={compare}
        seen={seen !== null}
        onCompare={onCompare}
        mode={mode}
        onMode={setMode}
        onTime={time => toIndex(indexAtTime(points, time))}
        onCopy={copy}
      />
      {!link.connected && <p className={styles.note} data-tone="warn" role="status"><WifiOff size={14} aria-hidden /> Offline: only what was looked at already can be shown.</p>}
      {error && link.connected && <p className={styles.note} data-tone="warn" role="status">{say(error)} <Button size="s" onClick={reload}>Try again</Button></p>}
      {seen && compare !== "seen" && <Since context={context} seen={seen} onShow={() => setCompare("seen")} />}
      <div className={styles.body} data-late={late || undefined} aria-busy={late}>
        {pair ? (
          <CompareView context={context} {...pair} mode={mode} onBlock={id => setStates(state?.blocks.find(b => b.block.id === id) ?? bare(id))} />
        ) : broken ? (
          <Empty icon={<HistoryIcon />} title="This point cannot be shown" action={<Button onClick={() => setPlace(null)}>Go to now</Button>}>{say(broken)}</Empty>
        ) : state ? (
          <PastBlocks state={state} made={made} changed={changed} onRestore={link.connected ? onRestore : undefined} onStates={setStates} />
        ) : (
          <div className={styles.middle}><Spinner label="Loading this point" large /></div>
        )}
      </div>
      {points.length === 0 ? (
        <p className={styles.note} role="status">{author ? "Nothing by this author." : "Nothing has happened here yet."}</p>
      ) : (
        <Transport points={points} index={index} onIndex={toIndex} other={compare === "point" ? Math.max(0, indexOfMoment(points, other)) : null} onOther={n => points[n] && setOther(momentOf(points[n]))} ready={!late} />
      )}
      {states && <BlockStates context={context} id={states.block.id} onClose={() => setStates(null)} onMoment={version => (setStates(null), setCompare("none"), setPlace({ moment: String(version), version }))} />}
    </section>
  )
}

/** What shows before there is a history. */
function Beginning({ error, loading, offline, reload }: { error: Error | null; loading: boolean; offline: boolean; reload(): void }) {
  if (error) {
    return (
      <Empty icon={offline ? <WifiOff /> : <HistoryIcon />} title={offline ? "The history is on the server" : "The history cannot be shown"} action={<Button onClick={reload} busy={loading}>Try again</Button>}>
        {say(error)}
      </Empty>
    )
  }
  return <div className={styles.middle}><Spinner label="Loading the history" large /></div>
}

/** Where a moment is among the points: the last one that is not newer. No moment is now. */
function indexOf(points: readonly Point[], place: { moment: string; version: number } | null): number {
  if (!place) return Math.max(0, points.length - 1)
  const exact = indexOfMoment(points, place.moment)
  if (exact >= 0) return exact
  let best = 0
  points.forEach((p, i) => {
    if (p.version <= place.version) best = i
  })
  return best
}

const compareOf = (to?: string): CompareWith => (!to ? "none" : to === "previous" || to === "now" ? to : "point")

/** The two moments that are compared, the older one first; null when there is nothing to compare. */
function pairOf(compare: CompareWith, { points, index, moment, other, seen }: { points: readonly Point[]; index: number; moment: string; other: string; seen: string }): { from: string; to: string; title: string } | null {
  const here = points[index]
  if (compare === "none" || !here) return null
  const named = (p: Point | undefined) => (p ? when(p.last) : "then")
  switch (compare) {
    case "previous": {
      const before = points[index - 1]
      return before ? { from: momentOf(before), to: moment, title: `What changed at ${named(here)}` } : null
    }
    case "now":
      return { from: moment, to: "", title: `What changed since ${named(here)}` }
    case "seen":
      return seen ? { from: seen, to: "", title: "What changed since you were last here" } : null
    case "point": {
      const there = points[indexOfMoment(points, other)]
      if (!there) return other ? { from: other, to: moment, title: "What differs" } : null
      const [a, b] = there.version <= here.version ? [there, here] : [here, there]
      return { from: momentOf(a), to: momentOf(b), title: `From ${whenExactly(a.last)} to ${whenExactly(b.last)}` }
    }
  }
}

/** What is marked in a state: what looks otherwise than in the one before, or, while that is not there, what the point says. */
function marksOf(state: ReturnType<Past["peek"]> | null, prior: ReturnType<Past["peek"]>, point: Point | undefined): { made: ReadonlySet<string>; changed: ReadonlySet<string> } {
  if (!state || !point || (state.moment !== momentOf(point) && state.version !== point.version)) return { made: nothing, changed: nothing }
  if (prior) return touchedBetween(prior, state)
  const blocks = new Set(point.blocks)
  return point.how.length === 1 && point.how[0] === "inserted" ? { made: blocks, changed: nothing } : { made: nothing, changed: blocks }
}

const bare = (id: string): PastBlock => ({ block: { id } as PastBlock["block"], depth: 0, author: "", via: "" })

/** Counts up when the context changes, as far as this page hears of it. */
function useHeads(url: string): number {
  const { model } = useModel(url)
  const [count, setCount] = useState(0)
  useEffect(() => model?.subscribe("any", () => setCount(n => n + 1)), [model])
  return count
}

/** Keeps the address at what is shown, without filling the browser's history. */
function useAddress(url: string, at: string | undefined, to: string): void {
  const first = useRef(true)
  useEffect(() => {
    if (first.current) {
      first.current = false
      return
    }
    const timer = setTimeout(() => history.replaceState(history.state, "", format({ view: "history", url, at, to: to || undefined })), addressMillis)
    return () => clearTimeout(timer)
  }, [url, at, to])
}
