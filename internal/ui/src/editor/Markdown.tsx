import type { ReactNode } from "react"
import type { Piece } from "../core/handle"

export interface MarkdownProps {
  text: string
  refs?: ReadonlyMap<number, string> | undefined
  cite?: ((piece: Piece, key: string) => ReactNode) | undefined
}

export function Markdown({ text }: MarkdownProps) {
  return <pre>{text}</pre>
}
