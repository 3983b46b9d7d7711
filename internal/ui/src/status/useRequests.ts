/** What waits for this person's answer. */
export function useRequests(): { count: number } {
  return { count: 0 }
}
