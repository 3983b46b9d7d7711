// The clipboard, also where the page is not served from a secure origin.

import { toast } from "../parts"

/** Copies a text and says so, or shows it to be copied by hand. */
export async function copyText(text: string, done: string): Promise<void> {
  if ((await byClipboard(text)) || bySelection(text)) toast({ text: done, kind: "ok" })
  else toast({ text: `It cannot be copied from here: ${text}`, kind: "warn" })
}

async function byClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

function bySelection(text: string): boolean {
  const box = document.createElement("textarea")
  box.value = text
  box.readOnly = true
  box.className = "sr-only"
  // Within an open dialog nothing outside of it can be selected.
  const around = document.querySelector("dialog[open]") ?? document.body
  const before = document.activeElement
  around.append(box)
  box.select()
  try {
    return document.execCommand("copy")
  } catch {
    return false
  } finally {
    box.remove()
    if (before instanceof HTMLElement) before.focus({ preventScroll: true })
  }
}
