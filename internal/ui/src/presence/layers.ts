// How others' carets and selections are drawn over an editor.

import { EditorSelection } from "@codemirror/state"
import { layer, RectangleMarker, type EditorView, type LayerMarker, type ViewUpdate } from "@codemirror/view"
import { shownCarets, type Shown } from "./carets"
import "./cursors.css"

const flagSpace = 16 // pixels above a line

/** A caret with a flag that names whose it is. */
class CaretMarker implements LayerMarker {
  constructor(
    readonly caret: Shown,
    readonly left: number,
    readonly top: number,
    readonly height: number,
    readonly low: boolean,
  ) {}

  eq(other: LayerMarker): boolean {
    return other instanceof CaretMarker && other.caret.key === this.caret.key && other.left === this.left && other.top === this.top && other.height === this.height && other.caret.nick === this.caret.nick
  }

  draw(): HTMLElement {
    const dom = document.createElement("div")
    dom.append(document.createElement("span"))
    this.#adjust(dom)
    return dom
  }

  update(dom: HTMLElement, old: LayerMarker): boolean {
    if (!(old instanceof CaretMarker) || old.caret.key !== this.caret.key) return false
    this.#adjust(dom)
    // The flag shows anew: its two animations are the same but for their names.
    dom.dataset.turn = dom.dataset.turn === "1" ? "0" : "1"
    return true
  }

  #adjust(dom: HTMLElement): void {
    dom.className = `kj-caret hue-${this.caret.hue}${this.low ? " kj-low" : ""}`
    dom.dataset.nick = this.caret.nick
    dom.firstElementChild!.textContent = this.caret.nick
    dom.style.left = `${this.left}px`
    dom.style.top = `${this.top}px`
    dom.style.height = `${this.height}px`
  }
}

const altered = (u: ViewUpdate) =>
  (u.docChanged || u.geometryChanged || u.viewportChanged) ? u.state.field(shownCarets).length > 0 : u.state.field(shownCarets) !== u.startState.field(shownCarets)

export const caretLayer = layer({
  above: true,
  class: "kj-carets",
  update: altered,
  markers: view => view.state.field(shownCarets).flatMap(c => markerOf(view, c)),
})

function markerOf(view: EditorView, caret: Shown): CaretMarker[] {
  const [at] = RectangleMarker.forRange(view, "", EditorSelection.cursor(caret.head))
  return at ? [new CaretMarker(caret, at.left, at.top, at.height, view.lineWrapping ? false : at.top < flagSpace)] : []
}

export const selectionLayer = layer({
  above: false,
  class: "kj-selections",
  update: altered,
  markers: view =>
    view.state.field(shownCarets).flatMap(({ anchor, head, hue }) => (anchor === head ? [] : RectangleMarker.forRange(view, `kj-selected hue-${hue}`, EditorSelection.range(anchor, head)))),
})
