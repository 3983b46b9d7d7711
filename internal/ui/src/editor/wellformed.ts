// Characters beyond U+FFFF are two units of JavaScript's strings and one of the
// document's. An edit that would leave half of one behind is made whole.

import { EditorState, type ChangeSpec, type Extension, type Transaction } from "@codemirror/state"
import { remote } from "./remote"

const half = /\p{Surrogate}/gu

/** Takes away halves of characters at the edges of an edit, and puts U+FFFD for those inside of it. */
export const wholeCharacters: Extension = EditorState.transactionFilter.of(tr => {
  if (!tr.docChanged || tr.annotation(remote)) return tr
  const mend = mendings(tr)
  return mend.length > 0 ? [tr, { changes: mend, sequential: true }] : tr
})

function mendings(tr: Transaction): ChangeSpec[] {
  const mend: ChangeSpec[] = []
  tr.changes.iterChangedRanges((_fromA, _toA, fromB, toB) => {
    const from = Math.max(0, fromB - 1)
    const near = tr.newDoc.sliceString(from, Math.min(tr.newDoc.length, toB + 1), "\n")
    for (const { index } of near.matchAll(half)) {
      const at = from + index
      if (wholeAt(tr, at)) continue // with what lies beyond what was looked at
      const inside = at >= fromB && at < toB
      mend.push({ from: at, to: at + 1, insert: inside ? "\ufffd" : "" })
    }
  })
  return mend
}

/** Reports whether the unit at a place is one half of a whole character. */
function wholeAt(tr: Transaction, at: number): boolean {
  const three = tr.newDoc.sliceString(Math.max(0, at - 1), at + 2, "\n")
  const middle = Math.min(at, 1)
  const unit = three.charCodeAt(middle)
  if (unit >= 0xdc00) return middle > 0 && isHigh(three.charCodeAt(middle - 1))
  return isLow(three.charCodeAt(middle + 1))
}

const isHigh = (unit: number) => unit >= 0xd800 && unit <= 0xdbff
const isLow = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff
