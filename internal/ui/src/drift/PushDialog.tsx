import type { ContextModel } from "../core/model"

export interface PushDialogProps {
  /** The context that it comes from. */
  model: ContextModel
  /** The blocks that go; none: a text that is written here. */
  ids: readonly string[]
  onClose(): void
}

export default function PushDialog(_: PushDialogProps) {
  return null
}
