// A difference of two texts, by lines, with the words that differ marked.

export type DiffMode = "inline" | "split"

export type DiffViewProps = { mode?: DiffMode; label?: string } & (
  | { unified: string }
  | { before: string; after: string }
)

export function DiffView(_: DiffViewProps) {
  return <div />
}
