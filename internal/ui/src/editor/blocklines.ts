// Lines of Markdown that look like what they become: fenced code as code, empty
// lines as low as the space between paragraphs, and all others from the side that
// their first letter begins at.

import { syntaxTree } from "@codemirror/language"
import { RangeSetBuilder, type Extension } from "@codemirror/state"
import { Decoration, EditorView, ViewPlugin, type DecorationSet } from "@codemirror/view"

const code = Decoration.line({ class: "cm-codeline" })
const words = Decoration.line({ attributes: { dir: "auto" } })
const empty = Decoration.line({ class: "cm-emptyline" })

/** The lines in sight, with what they are. */
function linesOf(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  const tree = syntaxTree(view.state)
  for (const { from, to } of view.visibleRanges) {
    const fenced: [number, number][] = []
    tree.iterate({
      from,
      to,
      enter: node => {
        if (node.name !== "FencedCode" && node.name !== "CodeBlock") return node.name === "Document" || !node.type.isAnonymous
        fenced.push([node.from, node.to])
        return false
      },
    })
    let next = 0
    for (let at = from; at <= to; ) {
      const line = view.state.doc.lineAt(at)
      while (next < fenced.length && fenced[next]![1] < line.from) next++
      if (next < fenced.length && fenced[next]![0] <= line.to) builder.add(line.from, line.from, code)
      else if (line.length === 0 && line.to < view.state.doc.length && line.from > 0) builder.add(line.from, line.from, empty)
      else builder.add(line.from, line.from, words)
      at = line.to + 1
    }
  }
  return builder.finish()
}

const lines = ViewPlugin.define(
  view => {
    let tree = syntaxTree(view.state)
    return {
      lines: linesOf(view),
      update(u) {
        const now = syntaxTree(u.state)
        if (u.docChanged || u.viewportChanged || now !== tree) this.lines = linesOf(u.view)
        tree = now
      },
    } as { lines: DecorationSet; update(u: { docChanged: boolean; viewportChanged: boolean; state: EditorView["state"]; view: EditorView }): void }
  },
  { decorations: plugin => plugin.lines },
)

export const blockLines: Extension = [lines, EditorView.perLineTextDirection.of(true)]
