/** The mark: two strokes that meet. */
export function Logo({ size = 18 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 24 24" fill="none" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" aria-hidden="true">
      <path d="M4 5c6 0 6 14 16 14M4 19c6 0 6-14 16-14" />
    </svg>
  )
}
