// Copying, cutting and pasting blocks with the keys of the browser.

import { useEffect, type RefObject } from "react"
import { copied, putBlocks } from "./clipboard"
import type { Doc } from "./doc-context"

/** Blocks go to the clipboard as Markdown; what is pasted in the list is a new block below the last one selected. */
export function useClipboard({ model, state, act }: Doc, list: RefObject<HTMLElement | null>, scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    /** The blocks that an event of the clipboard is about. */
    const meant = (e: ClipboardEvent): string[] | null => {
      const here = scroller.current?.contains(document.activeElement ?? null) || getSelection()?.isCollapsed === false
      return e.defaultPrevented || !list.current || !here ? null : copied(list.current, getSelection(), state.selected())
    }
    const onCopy = (e: ClipboardEvent) => {
      const ids = meant(e)
      if (ids) putBlocks(e, model, ids)
    }
    const onCut = (e: ClipboardEvent) => {
      const ids = getSelection()?.isCollapsed === false ? null : meant(e)
      if (!ids) return
      putBlocks(e, model, ids)
      act.remove(ids)
    }
    const onPaste = (e: ClipboardEvent) => {
      const row = document.activeElement?.closest<HTMLElement>("[data-row]")
      if (e.defaultPrevented || !row || row !== document.activeElement || !list.current?.contains(row)) return
      const text = pastedText(e.clipboardData)
      const below = state.selected().at(-1) ?? row.dataset.row!
      if (text === "") return
      e.preventDefault()
      const made = act.insertBehind(below, text)
      if (made === null) return
      state.selectOne(made)
      act.stage.show(made)
    }
    document.addEventListener("copy", onCopy)
    document.addEventListener("cut", onCut)
    document.addEventListener("paste", onPaste)
    return () => {
      document.removeEventListener("copy", onCopy)
      document.removeEventListener("cut", onCut)
      document.removeEventListener("paste", onPaste)
    }
  }, [model, state, act, list, scroller])
}

/** The text of a paste as a block has it: with its own line ends and no empty lines around. */
export const pastedText = (data: Pick<DataTransfer, "getData"> | null): string => (data?.getData("text/plain") ?? "").replace(/\r\n?/g, "\n").replace(/^\n+|\s+$/g, "")
