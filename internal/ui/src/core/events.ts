// The events of the server, /v1/events, followed over breaks of the connection.

export interface ServerEvent {
  /** The subject, such as "ctx.ID.drift.delivered". */
  subject: string
  /** What happened: the SSE event's name. */
  type: string
  id: string
  data: Record<string, unknown>
}

export interface FollowOptions {
  /** From which event on: the id of the last one known. */
  since?: string
  /** Called when events were lost: what was read before must be read anew. */
  onReset?: () => void
}

/** Calls `onEvent` for each event whose subject matches; returns how to stop. */
export function follow(_pattern: string, _onEvent: (event: ServerEvent) => void, _options: FollowOptions = {}): () => void {
  return () => {}
}
