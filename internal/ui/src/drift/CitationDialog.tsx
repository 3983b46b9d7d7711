export interface CitationDialogProps {
  handle: string
  onClose(): void
}

export default function CitationDialog(_: CitationDialogProps) {
  return null
}
