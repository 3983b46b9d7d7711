// What somebody began to write in a composer: it is no block yet, and no
// document has it, so the tab keeps it over reloads and while other contexts
// are shown. A tab that goes leaves it to the next one.

const prefix = "kj.draft."

/** What was begun under a name; "" when nothing was. */
export function draftOf(name: string): string {
  try {
    const left = localStorage.getItem(prefix + name) ?? ""
    localStorage.removeItem(prefix + name)
    return sessionStorage.getItem(prefix + name) ?? left
  } catch {
    return "" // not allowed
  }
}

export function keepDraft(name: string, text: string): void {
  try {
    if (text === "") sessionStorage.removeItem(prefix + name)
    else sessionStorage.setItem(prefix + name, text)
  } catch {
    // Full, or not allowed: it stays in the composer only.
  }
}

function leaveDrafts(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) localStorage.setItem(key, sessionStorage.getItem(key)!)
  } catch {
    // As above.
  }
}

if (typeof window !== "undefined") window.addEventListener("pagehide", leaveDrafts)
