import type { Block } from "../core/schema"

/** Says that something that a block cites has changed since. */
export function StaleMark(_: { block: Block }) {
  return null
}
