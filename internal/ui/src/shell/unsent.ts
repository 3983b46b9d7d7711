// Which documents have changes that the server has not acknowledged.

const prefix = "kj.unsent." // as core/saved marks them

/** The ids of those documents, as far as this browser knows. */
export function unsentDocuments(): string[] {
  try {
    return Object.keys(localStorage).filter(key => key.startsWith(prefix)).map(key => key.slice(prefix.length))
  } catch {
    return [] // no store
  }
}
