// What has come to the contexts of this kernel, and what waits for consent.

import { CheckCheck, Inbox as InboxIcon, Search } from "lucide-react"
import { useEffect, useMemo, useState } from "react"
import { useOp } from "../core/hooks"
import { op } from "../core/ops"
import { Button, Count, Empty, toast } from "../parts"
import { many } from "./check"
import { contexts } from "./contexts"
import { FilterChip, Select } from "./Filters"
import { HeldCard } from "./HeldCard"
import { itemsFrom } from "./items"
import { LetterCard } from "./LetterCard"
import { byContext, everyLetter, filtered, lettersFrom } from "./letters"
import { keyOf, nameOf, type Place } from "./place"
import { PlaceLink } from "./PlaceLink"
import { rememberQuotes } from "./quotes"
import { Trouble } from "./Trouble"
import { useDeed } from "./useDeed"
import css from "./Views.module.css"

const firstLetters = 100
const mostLetters = 1000
const live = { every: 30_000, on: "ctx.*.drift.>" }

export default function InboxView() {
  const [limit, setLimit] = useState(firstLetters)
  const [filter, setFilter] = useState(everyLetter)
  const inbox = useOp<unknown>("drift_inbox", { all: true, limit }, live)
  const queue = useOp<unknown>("drift_queue", { state: "held" }, live)
  const { letters, unread, older } = useMemo(() => lettersFrom(inbox.data), [inbox.data])
  const held = useMemo(() => itemsFrom(queue.data), [queue.data])
  const groups = useMemo(() => byContext(filtered(letters, filter)), [letters, filter])
  const places = useMemo(() => byContext(letters).map(g => g.place), [letters])
  const deed = useDeed()

  useEffect(() => letters.forEach(l => rememberQuotes(l.citations)), [letters])

  const read = async (place?: Place) => {
    const done = await deed.run(() => readAll(place?.id))
    inbox.reload()
    contexts.refresh()
    if (done) toast({ text: `${place ? nameOf(place) : "Everything"} is marked as read.`, kind: "ok" })
  }
  const narrowed = filter !== everyLetter && JSON.stringify(filter) !== JSON.stringify(everyLetter)
  const set = (more: Partial<typeof filter>) => setFilter({ ...filter, ...more })

  return (
    <div className={css.view}>
      <div className={css.column}>
        <header className={css.title}>
          <h1>Inbox</h1>
          <Count n={unread} of="unread" tone="accent" unread />
          <span className={css.end}>
            <Button icon={<CheckCheck aria-hidden />} disabled={unread === 0} busy={deed.busy} onClick={() => void read()}>
              Mark all read
            </Button>
          </span>
        </header>
        {deed.problem && (
          <p className={css.problem} role="alert">
            {deed.problem.text}
          </p>
        )}
        <Trouble state={inbox} what="the inbox" />
        {held.length > 0 && (
          <section aria-labelledby="held">
            <h2 id="held" className={css.section}>
              Waiting for your consent <Count n={held.length} of="waiting" tone="warn" />
            </h2>
            <ul className={css.cards}>
              {held.map(item => (
                <HeldCard key={item.drift} item={item} onDone={queue.reload} />
              ))}
            </ul>
          </section>
        )}
        {letters.length > 0 && (
          <div className={css.filters} role="search">
            <label className={css.search}>
              <Search aria-hidden size={14} />
              <input type="search" aria-label="Search the letters" placeholder="Search" value={filter.text} onChange={e => set({ text: e.target.value })} />
            </label>
            <Select label="Context" value={filter.context} onChange={context => set({ context })} all="Every context" options={places.map(p => ({ value: keyOf(p), label: nameOf(p) }))} />
            <FilterChip on={filter.unread} onChange={unread => set({ unread })}>
              Unread
            </FilterChip>
            <FilterChip on={filter.acts} onChange={acts => set({ acts })}>
              Asks to act
            </FilterChip>
            <FilterChip on={filter.stale} onChange={stale => set({ stale })}>
              Stale
            </FilterChip>
          </div>
        )}
        {inbox.data !== undefined && letters.length === 0 && held.length === 0 && (
          <Empty icon={<InboxIcon aria-hidden />} title="Nothing has come yet">
            What other contexts push to yours arrives here, with where it comes from and what it rests on.
          </Empty>
        )}
        {letters.length > 0 && groups.length === 0 && (
          <Empty icon={<Search aria-hidden />} title="No letter fits" action={<Button onClick={() => setFilter(everyLetter)}>Show all</Button>}>
            {filter.unread && !filter.text ? "You have read everything." : "Nothing of what came is like that."}
          </Empty>
        )}
        {groups.map(({ place, letters, unread }) => (
          <section key={keyOf(place)} aria-label={nameOf(place)}>
            <div className={css.group}>
              <h2>
                <PlaceLink place={place} />
              </h2>
              <Count n={unread} of="unread" tone="accent" unread />
              {unread > 0 && (
                <Button size="s" variant="ghost" disabled={deed.busy} onClick={() => void read(place)}>
                  Mark read
                </Button>
              )}
            </div>
            <ul className={css.cards}>
              {letters.map(l => (
                <LetterCard key={l.block} letter={l} />
              ))}
            </ul>
          </section>
        ))}
        {older > 0 && !narrowed && limit < mostLetters && (
          <div className={css.older}>
            <Button busy={inbox.loading} onClick={() => setLimit(Math.min(mostLetters, limit * 3))}>
              {many(older, "older letter")}: show more
            </Button>
          </div>
        )}
      </div>
    </div>
  )
}

/** Marks what came as read: to one context, or to all. The server takes so many at a time. */
async function readAll(context?: string): Promise<boolean> {
  for (let n = 0; n < 20; n++) {
    const answer = lettersFrom(await op<unknown>("drift_inbox", { ...(context ? { context } : { all: true }), unread: true, read: true, limit: mostLetters }))
    if (answer.unread === 0 || answer.letters.length === 0) break
  }
  return true
}

export { InboxView }
