import type { ContextModel } from "../core/model"

export function TitleEditor(_props: { model: ContextModel }) {
  return null
}
