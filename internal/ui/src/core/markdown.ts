// Blocks as Markdown, for copying, printing and export.

import type { Block } from "./schema"

export function toMarkdown(blocks: readonly Block[]): string {
  return blocks.map(b => b.content).join("\n\n") + "\n"
}
