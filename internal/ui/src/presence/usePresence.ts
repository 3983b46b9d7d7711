// Who is at a context, for React.

import { useEffect, useMemo, useSyncExternalStore } from "react"
import { useLink } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { peopleAt } from "./people"
import type { Seat } from "./seat"

export interface Peers {
  /** Everybody, this page too; a new list when somebody comes, goes, or is in another block. */
  readonly peers: readonly Seat[]
  /** The others who are in a block. */
  here(id: string): readonly Seat[]
}

function usePeople(model: ContextModel) {
  const { repo } = useLink()
  const people = peopleAt(model, repo.peerId)
  useEffect(() => people.use(), [people])
  return people
}

/** Takes part in the presence of a context for as long as the component is there. */
export function usePresence(model: ContextModel): Peers {
  const people = usePeople(model)
  const peers = useSyncExternalStore(
    fn => people.subscribe(fn),
    () => people.seats,
  )
  return useMemo(() => ({ peers, here: (id: string) => people.here(id) }), [people, peers])
}
