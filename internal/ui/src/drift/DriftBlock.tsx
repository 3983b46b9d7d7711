import type { ContextModel } from "../core/model"
import type { Block } from "../core/schema"

export default function DriftBlock(_: { model: ContextModel; block: Block }) {
  return <div />
}
