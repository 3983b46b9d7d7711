// GitHub's additions to Markdown: what remark-gfm does to read them, without
// the other half of that package, which writes Markdown.

import { gfmFromMarkdown } from "mdast-util-gfm"
import { gfm as tokens } from "micromark-extension-gfm"

interface Reader {
  data(): { micromarkExtensions?: unknown[]; fromMarkdownExtensions?: unknown[] }
}

/** A remark plugin. */
export function gfm(this: unknown): void {
  const data = (this as Reader).data()
  ;(data.micromarkExtensions ??= []).push(tokens())
  ;(data.fromMarkdownExtensions ??= []).push(gfmFromMarkdown())
}
