import type { Extension } from "@codemirror/state"

/** The writers of a file's lines, as a gutter of its editor; null while it is off or nothing is known. */
export function useFileBlame(_path: string | null, _on: boolean): Extension | null {
  return null
}
