// A citation of the lines that are selected in a block: a handle, copied.

import { op, Refused } from "../core/ops"
import { linesOf } from "../core/handle"
import type { ContextModel } from "../core/model"
import { toast } from "../parts"
import { isFields, textOf } from "./check"
import { copyText } from "./copy"
import { bare, linesOfPiece } from "./match"

/** Lines of a block, from 1, both included; without them the whole block. */
export interface Lines {
  block: string
  first?: number
  last?: number
}

/** The last selection in a block: a palette that opens takes the selection of the page away. */
let last: { range: Range; anchor: Node } | null = null

/** Keeps an eye on what is selected; returns how to stop. */
export function watchSelection(): () => void {
  const look = () => {
    const selection = document.getSelection()
    if (selection?.anchorNode && selection.rangeCount > 0 && closest(selection.anchorNode, "[data-block]")) last = { range: selection.getRangeAt(0).cloneRange(), anchor: selection.anchorNode }
  }
  document.addEventListener("selectionchange", look)
  return () => {
    document.removeEventListener("selectionchange", look)
    last = null
  }
}

/** What is selected, or was before something was opened over it; null where that is in no block. */
export async function selectedLines(model: ContextModel): Promise<Lines | null> {
  if (!last?.anchor.isConnected) return null
  const { range, anchor } = last
  const el = closest(anchor, "[data-block]")
  const block = el instanceof HTMLElement ? (el.dataset.block ?? "") : ""
  const content = block && model.block(block)?.content
  if (!el || !content) return null
  const editor = closest(anchor, ".cm-editor")
  if (editor instanceof HTMLElement) return { block, ...(await linesInEditor(editor)) }
  if (range.collapsed) return { block }
  const before = document.createRange()
  before.setStart(el.querySelector(".content") ?? el, 0)
  if (before.comparePoint(range.startContainer, range.startOffset) >= 0) before.setEnd(range.startContainer, range.startOffset)
  return { block, ...linesOfPiece(content, range.toString(), bare(before.toString()).text.length) }
}

async function linesInEditor(el: HTMLElement): Promise<{ first: number; last: number } | undefined> {
  const { EditorView } = await import("@codemirror/view")
  const view = EditorView.findFromDOM(el)
  if (!view) return undefined
  const { doc, selection } = view.state
  return { first: doc.lineAt(selection.main.from).number, last: doc.lineAt(Math.max(selection.main.from, selection.main.to - (selection.main.empty ? 0 : 1))).number }
}

const closest = (node: Node, selector: string): Element | null => (node instanceof Element ? node : node.parentElement)?.closest(selector) ?? null

/** Makes a handle of lines as they are now, and copies it. */
export async function citeLines(model: ContextModel, lines: Lines): Promise<string> {
  const range = lines.first ? `${lines.first}${lines.last && lines.last !== lines.first ? `-${lines.last}` : ""}` : undefined
  try {
    const made = await op<unknown>("citation_create", { context: model.id, block_id: lines.block, lines: range })
    const handle = isFields(made) ? textOf(made.handle) : ""
    if (handle) await copyText(handle, `A citation of ${linesOf(lines)} is copied.`)
    return handle
  } catch (err) {
    toast({ text: err instanceof Refused ? err.message : "The server cannot be reached; a citation is made there.", kind: "warn" })
    return ""
  }
}
