import type { ContextModel } from "../core/model"
import type { Block } from "../core/schema"

/** What stands above a file's text: its path, its mount, and how it fares. */
export function FileHeader(_: { model: ContextModel; block: Block }) {
  return <div />
}
