import { useEffect } from "react"
import { toast } from "../parts"
import type { Actions } from "./actions"

/** Files that are taken at once, and how large one may be, in bytes. */
const maxFiles = 20
const maxBytes = 500_000

/**
 * Text files that are dropped on a context become blocks at its end, one for
 * each; others are refused with a word. Without it the browser would leave the
 * page for the file.
 */
export function useFileDrop(act: Actions): void {
  useEffect(() => {
    const over = (e: DragEvent) => {
      if (!e.dataTransfer?.types.includes("Files")) return
      e.preventDefault()
      e.dataTransfer.dropEffect = "copy"
    }
    const drop = (e: DragEvent) => {
      const files = [...(e.dataTransfer?.files ?? [])]
      if (files.length === 0) return
      e.preventDefault()
      void take(act, files)
    }
    window.addEventListener("dragover", over)
    window.addEventListener("drop", drop)
    return () => {
      window.removeEventListener("dragover", over)
      window.removeEventListener("drop", drop)
    }
  }, [act])
}

async function take(act: Actions, files: readonly File[]): Promise<void> {
  const refused: string[] = []
  for (const file of files.slice(0, maxFiles)) {
    const text = await textOf(file)
    if (text === null) refused.push(file.name)
    else act.addAtEnd(text)
  }
  if (refused.length > 0) toast({ kind: "warn", text: `${refused.join(", ")}: only texts of up to ${maxBytes / 1000} KB become blocks. Files belong into a mount: see Git.` })
  if (files.length > maxFiles) toast({ kind: "warn", text: `${maxFiles} files at a time: ${files.length - maxFiles} were left out.` })
}

/** What a file says, null for one that is no text or too large. */
export async function textOf(file: Blob): Promise<string | null> {
  if (file.size === 0 || file.size > maxBytes) return null
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer())
    return text.includes("\0") ? null : text.replace(/\r\n?/g, "\n")
  } catch {
    return null // not UTF-8
  }
}
