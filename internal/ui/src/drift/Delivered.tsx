// What was delivered, in all contexts that one may read.

import { Search, Send } from "lucide-react"
import { useMemo, useState } from "react"
import { useMe, useOp } from "../core/hooks"
import { Button, Empty, TimeAgo } from "../parts"
import { many, plainLine } from "./check"
import { FilterChip, Select } from "./Filters"
import { edgeKinds } from "./graph"
import { everyLetter, filtered, lettersFrom } from "./letters"
import { hrefOf, keyOf, nameOf } from "./place"
import { Way } from "./PlaceLink"
import { Trouble } from "./Trouble"
import css from "./Views.module.css"

const mostLetters = 1000
const step = 100
const live = { every: 60_000, on: "ctx.*.drift.delivered" }

export function Delivered() {
  const me = useMe()?.principal ?? ""
  const inbox = useOp<unknown>("drift_inbox", { all: true, limit: mostLetters }, live)
  const { letters, older } = useMemo(() => lettersFrom(inbox.data), [inbox.data])
  const [filter, setFilter] = useState(everyLetter)
  const [shown, setShown] = useState(step)
  const found = useMemo(() => filtered(letters, filter), [letters, filter])
  const senders = useMemo(() => [...new Set(letters.map(l => l.by))].filter(Boolean).sort(), [letters])
  const places = useMemo(() => new Map(letters.flatMap(l => [l.from, l.context]).map(p => [keyOf(p), p])), [letters])
  const set = (more: Partial<typeof filter>) => setFilter({ ...filter, ...more })
  return (
    <div className={css.panel}>
      <Trouble state={inbox} what="what was delivered" />
      {letters.length > 0 && (
        <div className={css.filters} role="search">
          <label className={css.search}>
            <Search aria-hidden size={14} />
            <input type="search" aria-label="Search what was delivered" placeholder="Search" value={filter.text} onChange={e => set({ text: e.target.value })} />
          </label>
          <Select label="Context" value={filter.context} onChange={context => set({ context })} all="Every context" options={[...places].map(([value, p]) => ({ value, label: nameOf(p) }))} />
          <Select label="Kind" value={filter.kind} onChange={kind => set({ kind })} all="Every kind" options={edgeKinds.filter(k => k !== "fork").map(k => ({ value: k, label: k }))} />
          <Select label="Sender" value={filter.by} onChange={by => set({ by })} all="Everybody" options={senders.map(s => ({ value: s, label: s === me ? `${s} (you)` : s }))} />
          <FilterChip on={filter.stale} onChange={stale => set({ stale })}>
            Stale
          </FilterChip>
        </div>
      )}
      {inbox.data !== undefined && found.length === 0 && (
        <Empty icon={<Send aria-hidden />} title={letters.length === 0 ? "Nothing was delivered yet" : "Nothing fits"}>
          {letters.length === 0 ? "Every drift that arrives in a context that you may read stands here." : "No drift that was delivered is like that."}
        </Empty>
      )}
      <ul className={css.rows}>
        {found.slice(0, shown).map(l => {
          const href = hrefOf(l.context, l.block)
          const begin = plainLine(l.content, 160) || "(empty)"
          return (
            <li key={l.block} className={css.row}>
              <p className={css.rowHead}>
                <span className={css.kind} data-kind={l.kind}>
                  {l.kind}
                </span>
                <Way from={l.from} to={l.context} />
                <span className={css.soft}>by {l.by}</span>
                {l.at > 0 && <TimeAgo at={l.at} className={css.when} />}
              </p>
              {href ? (
                <a className={css.begin} href={href}>
                  {begin}
                </a>
              ) : (
                <p className={css.begin}>{begin}</p>
              )}
            </li>
          )
        })}
      </ul>
      {found.length > shown && (
        <div className={css.older}>
          <Button onClick={() => setShown(shown + step)}>{many(found.length - shown, "more drift")}: show more</Button>
        </div>
      )}
      {older > 0 && found.length <= shown && <p className={css.note}>{many(older, "older drift is", "older drifts are")} in their contexts, and not listed here.</p>}
    </div>
  )
}
