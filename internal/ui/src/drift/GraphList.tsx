// The graph as a table: the same, for who does not see drawings or wants to
// search and sort.

import { useMemo, useState } from "react"
import { Badge, Button, TimeAgo } from "../parts"
import { many } from "./check"
import css from "./Graph.module.css"
import type { Graph, GraphEdge } from "./graph"
import { nameOf } from "./place"
import { PlaceLink } from "./PlaceLink"

const columns = ["from", "kind", "to", "count", "last"] as const
type Column = (typeof columns)[number]
const names: Record<Column, string> = { from: "From", kind: "Kind", to: "To", count: "How many", last: "Last" }
const step = 200

export function GraphList({ graph }: { graph: Graph }) {
  const [sort, setSort] = useState<{ by: Column; down: boolean }>({ by: "last", down: true })
  const [shown, setShown] = useState(step)
  const nodes = useMemo(() => new Map(graph.nodes.map(n => [n.key, n])), [graph])
  const edges = useMemo(() => {
    const name = (key: string) => nameOf(nodes.get(key)!.place).toLowerCase()
    const by: Record<Column, (a: GraphEdge, b: GraphEdge) => number> = {
      from: (a, b) => name(a.from).localeCompare(name(b.from)),
      to: (a, b) => name(a.to).localeCompare(name(b.to)),
      kind: (a, b) => a.kind.localeCompare(b.kind),
      count: (a, b) => a.count - b.count,
      last: (a, b) => a.last - b.last,
    }
    const sorted = [...graph.edges].sort(by[sort.by])
    return sort.down ? sorted.reverse() : sorted
  }, [graph, nodes, sort])
  return (
    <div className={css.list}>
      <table>
        <thead>
          <tr>
            {columns.map(c => (
              <th key={c} scope="col" aria-sort={sort.by === c ? (sort.down ? "descending" : "ascending") : "none"}>
                <button type="button" onClick={() => setSort({ by: c, down: sort.by === c ? !sort.down : c === "last" || c === "count" })}>
                  {names[c]}
                  <span aria-hidden>{sort.by === c ? (sort.down ? " ↓" : " ↑") : ""}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {edges.slice(0, shown).map(e => (
            <tr key={e.key}>
              <td>
                <PlaceLink place={nodes.get(e.from)!.place} />
              </td>
              <td>
                <span className={css.dotKind} data-kind={e.kind} /> {e.kind}
              </td>
              <td>
                <PlaceLink place={nodes.get(e.to)!.place} />
              </td>
              <td>
                {e.count} {e.stale > 0 && <Badge tone="warn">{e.stale} stale</Badge>}
              </td>
              <td>{e.last > 0 && <TimeAgo at={e.last} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {edges.length > shown && <Button onClick={() => setShown(shown + step)}>{many(edges.length - shown, "more edge")}: show more</Button>}
    </div>
  )
}
