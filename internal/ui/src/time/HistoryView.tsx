// A context over time.

export interface HistoryViewProps {
  url: string
  at?: string
  to?: string
}

export default function HistoryView({ url }: HistoryViewProps) {
  return <section aria-label="History">{url}</section>
}
