import { hrefOf, nameOf, type Place } from "./place"
import css from "./Views.module.css"

/** A context by its name, as a link where it can be opened here. */
export function PlaceLink({ place, block = "" }: { place: Place; block?: string }) {
  const href = hrefOf(place, block)
  return href ? (
    <a className={css.place} href={href} title={place.short || undefined}>
      {nameOf(place)}
    </a>
  ) : (
    <span className={css.place}>{nameOf(place)}</span>
  )
}

/** From where to where. */
export function Way({ from, to }: { from: Place; to: Place }) {
  return (
    <span className={css.way}>
      <PlaceLink place={from} />
      <span aria-label="to">→</span>
      <PlaceLink place={to} />
    </span>
  )
}
