// What context_lineage says of the parent of a context.

import { isFields, rowsOf, textOf } from "./check"
import { placeFrom, type Place } from "./place"

/** The context above the one that was asked for; null if there is none that may be read. */
export function parentIn(answer: unknown): Place | null {
  const rows = isFields(answer) ? rowsOf(answer.contexts) : []
  const here = rows.find(row => row.here === true)
  const from = here && isFields(here.forked_from) ? textOf(here.forked_from.context) : ""
  const parent = from === "" ? undefined : rows.find(row => row.id === from && row.deleted !== true)
  return parent ? placeFrom(parent) : null
}
