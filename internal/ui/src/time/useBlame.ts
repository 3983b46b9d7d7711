// Who wrote which part of the blocks in sight.

/** A run of characters by one author, in UTF-16 units of the content. */
export interface BlameSpan {
  from: number
  to: number
  author: string
  time: string
  hue: number
}

export interface Blame {
  on: boolean
  by: "author" | "age"
  /** What is known of a block; null while it is not there yet. Asking for it fetches it. */
  spans(id: string): readonly BlameSpan[] | null
  /** Told when the spans of a block are there or changed. */
  subscribe(id: string, fn: () => void): () => void
}
