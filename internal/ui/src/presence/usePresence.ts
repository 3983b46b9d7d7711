import type { ContextModel } from "../core/model"
import type { Seat } from "./seat"

export interface Peers {
  readonly peers: readonly Seat[]
  here(id: string): readonly Seat[]
}

export function usePresence(_model: ContextModel): Peers {
  return nobody
}

const nobody: Peers = { peers: [], here: () => [] }
