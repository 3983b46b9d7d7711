// Messages on the desktop about questions: only after the person allowed them,
// and only while they look at something else.

import type { Question } from "./answers"

const key = "kj.notify"
const maxText = 140

/** Whether this browser could show them, and what the person said. */
export type Allowed = "never" | "no" | "yes" | "ask"

export function allowed(): Allowed {
  if (typeof Notification === "undefined") return "never"
  if (Notification.permission === "denied") return "no"
  return Notification.permission === "granted" && stored() ? "yes" : "ask"
}

function stored(): boolean {
  try {
    return localStorage.getItem(key) === "yes"
  } catch {
    return false
  }
}

/** Asks the person, by the browser's own question; call it when they press a button. */
export async function allow(yes: boolean): Promise<Allowed> {
  try {
    if (yes && typeof Notification !== "undefined" && (await Notification.requestPermission()) === "granted") localStorage.setItem(key, "yes")
    else localStorage.removeItem(key)
  } catch {
    // It cannot be kept: there are none after a reload.
  }
  return allowed()
}

/** Shows a message for a question that came. */
export function notifyOf(q: Question): void {
  if (!document.hidden || allowed() !== "yes" || !q.answerable) return
  try {
    const note = new Notification(q.by ? `${q.by} asks` : "A question", { body: [...q.message].slice(0, maxText).join(""), tag: q.block })
    note.onclick = () => {
      window.focus()
      location.hash = "#/requests"
      note.close()
    }
  } catch {
    // Some browsers show them only from elsewhere.
  }
}
