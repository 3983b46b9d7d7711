// The gutter of writers: each line's last writer, told apart by colour; what
// only git or the disk knows is shown paler, for it is less sure.

import { StateField, type Extension, type Text } from "@codemirror/state"
import { EditorView, gutter, GutterMarker } from "@codemirror/view"
import { colourOf } from "../core/actors"
import type { Line } from "./answers"
import { lineBy } from "./words"

/** How much of a name stands in the gutter, in characters. */
const maxName = 12

class Writer extends GutterMarker {
  constructor(
    readonly name: string,
    readonly how: string,
    readonly source: string,
    /** It is the first of lines by the same. */
    readonly first: boolean,
  ) {
    super()
  }

  override eq(other: Writer) {
    return this.name === other.name && this.how === other.how && this.first === other.first
  }

  override toDOM() {
    const el = document.createElement("span")
    el.className = `kj-blame hue-${colourOf(this.name)}`
    el.dataset.source = this.source
    el.title = this.how
    const chars = [...this.name]
    el.textContent = this.first ? (chars.length > maxName ? chars.slice(0, maxName - 1).join("") + "…" : this.name) : ""
    return el
  }
}


/** Which writer each line has; lines that were edited since have none until it is asked again. */
interface Known {
  /** By line from 1; null for one that is not known. */
  by: (Line | null)[]
}

/** Moves what is known of lines along with an edit. */
export function moved(by: readonly (Line | null)[], before: Text, after: Text, changes: { fromA: number; toA: number; fromB: number; toB: number }[]): (Line | null)[] {
  const next: (Line | null)[] = []
  let at = 1 // the next line before the edit that was not looked at
  for (const c of changes) {
    const first = before.lineAt(c.fromA).number
    const last = before.lineAt(c.toA).number
    const lines = after.lineAt(c.toB).number - after.lineAt(c.fromB).number + 1
    while (at < first) next.push(by[at++ - 1] ?? null)
    if (at > first && next.length > 0) next.length-- // two edits in one line
    for (let n = 0; n < lines; n++) next.push(null)
    at = last + 1
  }
  while (at <= before.lines) next.push(by[at++ - 1] ?? null)
  return next.slice(0, after.lines)
}

const known = StateField.define<Known>({
  create: () => ({ by: [] }),
  update(value, tr) {
    let by = value.by
    if (tr.docChanged && by.length > 0) {
      const changes: { fromA: number; toA: number; fromB: number; toB: number }[] = []
      tr.changes.iterChanges((fromA, toA, fromB, toB) => changes.push({ fromA, toA, fromB, toB }))
      by = moved(by, tr.startState.doc, tr.newDoc, changes)
    }
    return by === value.by ? value : { by }
  },
})

function markerAt(by: readonly (Line | null)[], n: number): Writer | null {
  const line = by[n - 1]
  if (!line) return null
  const { name, how } = lineBy(line)
  const above = by[n - 2]
  return new Writer(name, how, line.source, !above || lineBy(above).name !== name || above.source !== line.source)
}

const look = EditorView.baseTheme({
  ".kj-writers": { minWidth: "13ch", paddingRight: "4px" },
  ".kj-writers .cm-gutterElement": { padding: "0" },
  ".kj-blame": { display: "block", height: "100%", padding: "0 6px", borderRight: "3px solid var(--hue)", color: "var(--hue)", fontSize: "11px", whiteSpace: "pre", overflow: "hidden" },
  ".kj-blame[data-source=git], .kj-blame[data-source=note]": { borderRightStyle: "dashed" },
  ".kj-blame[data-source=git]": { color: "var(--muted)" },
  ".kj-blame[data-source=disk]": { color: "var(--muted)", borderRightColor: "var(--line-strong)" },
})

/** An editor's gutter of writers. */
export function blameGutter(lines: readonly Line[]): Extension {
  return [
    known.init(state => {
      const by = new Array<Line | null>(state.doc.lines).fill(null)
      for (const l of lines) if (l.line >= 1 && l.line <= by.length) by[l.line - 1] = l
      return { by }
    }),
    gutter({
      class: "kj-writers",
      lineMarker: (view, block) => markerAt(view.state.field(known).by, view.state.doc.lineAt(block.from).number),
      lineMarkerChange: update => update.startState.field(known, false) !== update.state.field(known, false),
    }),
    look,
  ]
}
