import type { ContextModel } from "../core/model"

export function Seats(_props: { model: ContextModel }) {
  return null
}
