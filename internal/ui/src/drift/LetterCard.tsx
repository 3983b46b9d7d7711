// A letter: what came, from where and by whom.

import { ArrowUpRight } from "lucide-react"
import { memo, useLayoutEffect, useRef, useState } from "react"
import { colourOf } from "../core/actors"
import { useNamed } from "../core/hooks"
import { Markdown } from "../editor/Markdown"
import { Avatar, Badge, Button, cx, TimeAgo } from "../parts"
import { useCites } from "./CiteLink"
import { ActState } from "./Origin"
import { PlaceLink } from "./PlaceLink"
import { hrefOf } from "./place"
import type { Letter } from "./letters"
import css from "./Views.module.css"

export const LetterCard = memo(function LetterCard({ letter, showTo = false }: { letter: Letter; showTo?: boolean }) {
  const cites = useCites(letter)
  const by = useNamed(letter.by)
  const href = hrefOf(letter.context, letter.block)
  return (
    <li className={cx(css.card, letter.unread && css.unread)} data-letter={letter.block} data-unread={letter.unread ? "" : undefined}>
      <header className={css.head}>
        {letter.unread && (
          <span className={css.dot} role="img" aria-label="unread" title="unread" />
        )}
        <Avatar name={letter.by || "?"} kind={by.kind} hue={colourOf(letter.by)} size={20} label="" />
        <b>{by.name || "somebody"}</b>
        <span className={css.soft}>
          {letter.kind || "drift"} from <PlaceLink place={letter.from} />
          {showTo && (
            <>
              {" "}
              to <PlaceLink place={letter.context} />
            </>
          )}
        </span>
        {letter.model && <span className={css.soft}>{letter.model}</span>}
        {letter.stale && (
          <Badge tone="warn" title="Some of the lines that it cites are not as they were">
            stale
          </Badge>
        )}
        {letter.act && <ActState act={letter.act} />}
        <span className={css.end}>
          {letter.at > 0 && <TimeAgo at={letter.at} className={css.soft} />}
          {href && (
            <a className={css.open} href={href}>
              Open <ArrowUpRight aria-hidden size={13} />
            </a>
          )}
        </span>
      </header>
      <Clamped>
        <Markdown text={letter.content} refs={cites.refs} cite={cites.cite} />
      </Clamped>
      {letter.act === "pending" && (
        <p className={css.note}>
          Whether it may act is asked of those who edit the context: <a href="#/requests">answer it among the requests</a>.
        </p>
      )}
    </li>
  )
})

/** Shows the beginning of what is long, and all of it on demand. */
export function Clamped({ children }: { children: React.ReactNode }) {
  const ref = useRef<HTMLDivElement>(null)
  const [long, setLong] = useState(false)
  const [whole, setWhole] = useState(false)
  useLayoutEffect(() => {
    const el = ref.current
    if (el && !whole) setLong(el.scrollHeight > el.clientHeight + 8)
  })
  return (
    <div className={css.said}>
      <div ref={ref} className={cx(css.text, !whole && css.clamped)} data-long={long && !whole ? "" : undefined}>
        {children}
      </div>
      {(long || whole) && (
        <Button size="s" variant="ghost" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? "Show less" : "Show all"}
        </Button>
      )}
    </div>
  )
}
