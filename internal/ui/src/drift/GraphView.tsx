// The drift graph: who drifted to whom, and what was forked from what.

import { List, Search, Waypoints } from "lucide-react"
import { useEffect, useMemo, useState } from "react"
import { useOp } from "../core/hooks"
import { Button, Empty } from "../parts"
import { many } from "./check"
import { FilterChip, Select } from "./Filters"
import css from "./Graph.module.css"
import { busiest, edgeKinds, folded, graphFrom, mostDrawn, narrowed, wholeGraph, type EdgeKind } from "./graph"
import { GraphCanvas } from "./GraphCanvas"
import { GraphList } from "./GraphList"
import { lettersFrom } from "./letters"
import { targetsFrom } from "./place"
import { rememberQuotes } from "./quotes"
import { Trouble } from "./Trouble"
import views from "./Views.module.css"

const hour = 3_600_000
const spans = [
  { value: String(24 * hour), label: "Last 24 hours" },
  { value: String(7 * 24 * hour), label: "Last 7 days" },
  { value: String(30 * 24 * hour), label: "Last 30 days" },
]
const live = { every: 60_000, on: "ctx.*.drift.>" }

export default function GraphView() {
  const edges = useOp<unknown>("drift_graph", {}, live)
  const list = useOp<unknown>("drift_list", { archived: true }, live)
  const inbox = useOp<unknown>("drift_inbox", { all: true, limit: 1000 }, live)
  const [filter, setFilter] = useState(wholeGraph)
  const [span, setSpan] = useState("")
  const [asList, setAsList] = useState(false)
  const [everything, setEverything] = useState(false)
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set())

  const { letters } = useMemo(() => lettersFrom(inbox.data), [inbox.data])
  const { targets } = useMemo(() => targetsFrom(list.data), [list.data])
  const whole = useMemo(() => graphFrom(edges.data, targets, letters), [edges.data, targets, letters])
  const shown = useMemo(() => narrowed(whole, { ...filter, since: span ? Date.now() - Number(span) : 0 }), [whole, filter, span])
  const gathered = useMemo(() => folded(shown, open), [shown, open])
  const tooMany = gathered.nodes.length > mostDrawn
  const drawn = useMemo(() => (everything ? gathered : busiest(gathered)), [gathered, everything])
  const counts = useMemo(() => {
    const count = new Map<EdgeKind, number>()
    for (const e of whole.edges) count.set(e.kind, (count.get(e.kind) ?? 0) + e.count)
    return count
  }, [whole])
  useEffect(() => letters.forEach(l => rememberQuotes(l.citations)), [letters])

  const set = (more: Partial<typeof filter>) => setFilter({ ...filter, ...more })
  const toggle = (kind: EdgeKind) => {
    const kinds = new Set(filter.kinds)
    if (!kinds.delete(kind)) kinds.add(kind)
    set({ kinds })
  }
  const known = edges.data !== undefined && list.data !== undefined
  return (
    <div className={css.view}>
      <header className={css.header}>
        <h1>Drift graph</h1>
        <span className={views.soft}>{known && `${many(shown.nodes.length, "context")}, ${many(shown.edges.length, "edge")}`}</span>
        <span className={views.end}>
          <Button icon={asList ? <Waypoints aria-hidden /> : <List aria-hidden />} onClick={() => setAsList(!asList)}>
            {asList ? "As a drawing" : "As a list"}
          </Button>
        </span>
      </header>
      <div className={css.filters} role="search" aria-label="Narrow the graph">
        <label className={views.search}>
          <Search aria-hidden size={14} />
          <input type="search" aria-label="Find a context" placeholder="Find a context" value={filter.text} onChange={e => set({ text: e.target.value })} />
        </label>
        <Select label="Time" value={span} onChange={setSpan} all="Any time" options={spans} />
        <FilterChip on={filter.archived} onChange={archived => set({ archived })}>
          Archived
        </FilterChip>
        {(shown.alone > 0 || filter.alone) && (
          <FilterChip on={filter.alone} onChange={alone => set({ alone })}>
            {shown.alone > 0 ? `${shown.alone} without drift` : "Without drift"}
          </FilterChip>
        )}
        {tooMany && !asList && (
          <FilterChip on={!everything} onChange={on => setEverything(!on)}>
            The {mostDrawn} busiest
          </FilterChip>
        )}
        <div className={css.legend} role="group" aria-label="Kinds of edges">
          {edgeKinds
            .filter(kind => counts.has(kind))
            .map(kind => (
              <button key={kind} type="button" aria-pressed={filter.kinds.has(kind)} className={css.key} onClick={() => toggle(kind)}>
                <svg width="22" height="10" aria-hidden className={css.edge} data-kind={kind}>
                  <path d="M0 5H20" className={css.line} />
                </svg>
                {kind} <span>{counts.get(kind)}</span>
              </button>
            ))}
        </div>
      </div>
      <div className={css.trouble}>
        <Trouble state={{ ...edges, data: known ? edges.data : undefined, error: edges.error ?? list.error }} what="the graph" />
      </div>
      {known && shown.nodes.length === 0 ? (
        <Empty icon={<Waypoints aria-hidden />} title={whole.edges.length === 0 ? "Nothing has drifted yet" : "Nothing is like that"} action={whole.nodes.length > 0 && <Button onClick={() => (setSpan(""), setFilter({ ...wholeGraph, alone: whole.edges.length === 0 }))}>Show all contexts</Button>}>
          {whole.edges.length === 0 ? "When a context pushes something to another, or is forked, the two are joined here." : "No context and no edge is left by these filters."}
        </Empty>
      ) : (
        known && (asList ? <GraphList graph={shown} /> : <GraphCanvas graph={drawn} letters={letters} onUnfold={of => setOpen(new Set([...open, of]))} />)
      )}
    </div>
  )
}

export { GraphView }
