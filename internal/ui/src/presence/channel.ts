// automerge-repo's Presence, with a door in front of it: it takes what it hears
// as it comes, and a message that is no object would make it throw.

import { Presence, type DocHandle, type DocHandleEphemeralMessagePayload } from "@automerge/automerge-repo/slim"
import { channels } from "./wire"

const marker = "__presence"
const maxPeers = 200
const maxValueChars = 2000
const heartbeatMillis = 10_000
const peerTtlMillis = 45_000 // three heartbeats of stock clients

/** What a page tells; each field is a channel. */
export interface State extends Record<string, unknown> {
  nick: string
  status: string
  at: unknown
}

type Message = DocHandleEphemeralMessagePayload<any>

export interface Channel {
  /** The states of the others, by peer, as they sent them. */
  states(): Record<string, unknown>
  tell(channel: keyof State, value: unknown): void
  /** Takes somebody out of the list until they are heard of again. */
  forget(peer: string): void
  stop(): void
}

/** Takes part in the presence of a document; `onChange` is told when somebody else's changed. */
export function openChannel(handle: DocHandle<any>, initialState: State, onChange: () => void): Channel {
  const forgotten = new Set<string>()
  const heard = new Map<unknown, (m: Message) => void>()
  const known = () => presence.getPeerStates().value as Record<string, { value: unknown }>
  const fits = ({ senderId, message }: Message): boolean => {
    if (typeof message !== "object" || message === null || !Object.hasOwn(message, marker)) return false
    const said = (message as Record<string, any>)[marker]
    if (typeof said !== "object" || said === null) return false
    if (!Object.hasOwn(known(), senderId) && Object.keys(known()).length >= maxPeers) return false
    forgotten.delete(senderId)
    switch (said.type) {
      case "heartbeat":
      case "goodbye":
        return true
      case "update":
        return channels.has(said.channel) && isSmall(said.value)
      case "snapshot":
        return typeof said.state === "object" && said.state !== null && isSmall(said.state)
      default:
        return false
    }
  }
  const door = {
    on: (event: "ephemeral-message", fn: (m: Message) => void) => {
      const behind = (m: Message) => fits(m) && fn(m)
      heard.set(fn, behind)
      handle.on(event, behind)
    },
    off: (event: "ephemeral-message", fn: (m: Message) => void) => handle.off(event, heard.get(fn) ?? fn),
    broadcast: (message: unknown) => handle.broadcast(message),
  }
  const presence = new Presence<State>({ handle: door as unknown as DocHandle<any> })
  for (const event of ["update", "snapshot", "goodbye", "pruning"] as const) presence.on(event, onChange)
  presence.start({ initialState, heartbeatMs: heartbeatMillis, peerTtlMs: peerTtlMillis })
  return {
    states: () => Object.fromEntries(Object.entries(known()).flatMap(([peer, { value }]) => (forgotten.has(peer) ? [] : [[peer, value]]))),
    tell: (channel, value) => presence.broadcast(channel, value),
    forget: peer => Object.hasOwn(known(), peer) && forgotten.add(peer),
    stop: () => {
      presence.removeAllListeners()
      presence.stop()
    },
  }
}

function isSmall(value: unknown): boolean {
  try {
    return (JSON.stringify(value) ?? "").length <= maxValueChars
  } catch {
    return false
  }
}
