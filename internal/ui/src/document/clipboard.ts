// Putting blocks on the clipboard as Markdown.

import { toMarkdown } from "../core/markdown"
import type { ContextModel } from "../core/model"

/** Copies a text; false where the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** For pages on plain http beyond this machine, where there is no clipboard interface. */
function copyBySelection(text: string): boolean {
  const take = (e: ClipboardEvent) => {
    e.clipboardData?.setData("text/plain", text)
    e.preventDefault()
    e.stopImmediatePropagation()
  }
  document.addEventListener("copy", take, { capture: true })
  try {
    return document.execCommand("copy")
  } catch {
    return false
  } finally {
    document.removeEventListener("copy", take, { capture: true })
  }
}

/**
 * What a copy event in the list is about: the blocks that a native selection
 * spans, if more than one, else those selected as blocks. Null leaves the
 * event to the browser.
 */
export function copied(list: HTMLElement, native: globalThis.Selection | null, selected: readonly string[]): string[] | null {
  if (native && !native.isCollapsed && native.rangeCount > 0) {
    const range = native.getRangeAt(0)
    const rows = [...list.querySelectorAll<HTMLElement>("[data-row]")].filter(row => range.intersectsNode(row))
    return rows.length > 1 ? rows.map(row => row.dataset.row!) : null
  }
  const active = document.activeElement
  if (active?.closest(".cm-editor, input, textarea")) return null
  return selected.length > 0 ? [...selected] : null
}

/** Puts blocks on the clipboard of a copy event. */
export function putBlocks(e: ClipboardEvent, model: ContextModel, ids: readonly string[]): void {
  const text = toMarkdown(ids.flatMap(id => model.block(id) ?? []))
  e.clipboardData?.setData("text/plain", text)
  e.clipboardData?.setData("text/markdown", text)
  e.preventDefault()
}
