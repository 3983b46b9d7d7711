// All that an item of the queue says, as it will arrive.

import { useEffect, useMemo } from "react"
import { useOp } from "../core/hooks"
import { Markdown } from "../editor/Markdown"
import { Spinner } from "../parts"
import { plainLine } from "./check"
import { RefLink, useCites } from "./CiteLink"
import { itemFrom, type Item } from "./items"
import { madeBy } from "./Origin"
import { PlaceLink } from "./PlaceLink"
import { rememberQuotes } from "./quotes"
import { problemOf } from "./useDeed"
import { Clamped } from "./LetterCard"
import css from "./Views.module.css"

/** It is read from the server when it is opened; before, its beginning shows. */
export function Whole({ item, open }: { item: Item; open: boolean }) {
  const { data, error, loading } = useOp<unknown>(open ? "drift_show" : null, { item: item.drift })
  const whole = useMemo(() => itemFrom(data), [data])
  const shown = whole ?? item
  const cites = useCites(shown)
  useEffect(() => rememberQuotes(shown.citations), [shown])
  if (!open) return <p className={css.begin}>{plainLine(item.content, 160)}</p>
  const how = madeBy(shown)
  return (
    <div className={css.arrives}>
      <p className={css.soft}>
        {shown.kind} from <PlaceLink place={shown.from} /> · by {shown.by}
        {how && ` · ${how}`}
      </p>
      {error && !whole && <p className={css.note}>{problemOf(error).text}</p>}
      {whole ? (
        <Clamped>
          <Markdown text={whole.content} refs={cites.refs} cite={cites.cite} />
        </Clamped>
      ) : (
        <p className={css.begin}>
          {item.content} {loading && <Spinner label="Reading all of it" />}
        </p>
      )}
      {shown.citations.length > 0 && (
        <ul className={css.cites} aria-label="Citations that go along">
          {shown.citations.map(c => (
            <li key={c.ref}>
              <RefLink refNumber={c.ref} handle={c.handle} quote={c.quote} /> {c.quote && <q>{c.quote.split("\n")[0]}</q>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
