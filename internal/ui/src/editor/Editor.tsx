import type { LiveEditorProps } from "./LiveEditor"

export default function Editor(_props: LiveEditorProps) {
  return null
}
