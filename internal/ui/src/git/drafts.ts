// The message of a commit that is not made yet, kept in this browser for each
// mount, so that neither a reload nor a refusal loses it.

const prefix = "kj.commit:"
const maxChars = 20_000

export function readDraft(mount: string): string {
  try {
    return (localStorage.getItem(prefix + mount) ?? "").slice(0, maxChars)
  } catch {
    return ""
  }
}

/** Keeps a message; an empty one is forgotten. */
export function keepDraft(mount: string, message: string): void {
  try {
    if (message.trim() === "") localStorage.removeItem(prefix + mount)
    else localStorage.setItem(prefix + mount, message.slice(0, maxChars))
  } catch {
    // Full: it stays as long as the page does.
  }
}
