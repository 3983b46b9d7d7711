export interface CodeViewProps {
  text: string
  lang?: string | undefined
}

export function CodeView({ text }: CodeViewProps) {
  return (
    <pre>
      <code>{text}</code>
    </pre>
  )
}
