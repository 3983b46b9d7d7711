// What the operations on nodes, tokens, seats and questions answer, checked:
// what is not as it should be reads as absent, and long lists are cut.

type Fields = Record<string, unknown>

const isFields = (v: unknown): v is Fields => typeof v === "object" && v !== null && !Array.isArray(v)
const fields = (v: unknown): Fields => (isFields(v) ? v : {})
const text = (v: unknown): string => (typeof v === "string" ? v : "")
const texts = (v: unknown): string[] => (Array.isArray(v) ? v.slice(0, 200).filter((s): s is string => typeof s === "string") : [])
const count = (v: unknown): number => (typeof v === "number" && Number.isFinite(v) && v > 0 ? v : 0)
const rows = (v: unknown, most = 1000): Fields[] => (Array.isArray(v) ? v.slice(0, most).filter(isFields) : [])

export interface Node {
  id: string
  name: string
  self: boolean
  address: string
  version: string
  started: string
  documents: number
  outbox: number
  lag: number
  seen: string
}

const nodeFrom = (n: Fields): Node => ({
  id: text(n.id),
  name: text(n.name),
  self: n.self === true,
  address: text(n.address),
  version: text(n.version),
  started: text(n.started),
  documents: count(n.documents),
  outbox: count(n.outbox),
  lag: count(n.lag),
  seen: text(n.seen),
})

export interface NodeStatus {
  kernel: string
  self: Node
  nodes: Node[]
  nats: { embedded: boolean; connected: boolean; server: string; since: string }
  streams: { shard: number; lag: number; caughtUp: boolean; resets: number }[]
  outbox: { changes: number; bytes: number; oldest: number; skipped: number }
  traffic: { sent: number; taken: number; healed: number; refused: { reason: string; count: number }[] }
  healed: { at: string; documents: number; changes: number } | null
  records: number
  documents: number
  seats: number
  problems: string[]
}

export function nodeStatusFrom(v: unknown): NodeStatus {
  const s = fields(v)
  const nats = fields(s.nats)
  const outbox = fields(s.outbox)
  const traffic = fields(s.traffic)
  const healed = isFields(s.last_healed) ? s.last_healed : null
  return {
    kernel: text(s.kernel),
    self: nodeFrom(fields(s.node)),
    nodes: rows(s.nodes, 100).map(nodeFrom),
    nats: { embedded: nats.embedded === true, connected: nats.connected === true, server: text(nats.server), since: text(nats.since) },
    streams: rows(s.streams, 256).map(r => ({ shard: count(r.shard), lag: count(r.lag), caughtUp: r.caught_up === true, resets: count(r.resets) })),
    outbox: { changes: count(outbox.changes), bytes: count(outbox.bytes), oldest: count(outbox.oldest_ms), skipped: count(outbox.skipped) },
    traffic: {
      sent: count(traffic.sent),
      taken: count(traffic.taken),
      healed: count(traffic.healed),
      refused: Object.entries(fields(traffic.refused)).slice(0, 50).map(([reason, n]) => ({ reason, count: count(n) })),
    },
    healed: healed && { at: text(healed.at), documents: count(healed.documents), changes: count(healed.changes) },
    records: count(s.records),
    documents: count(s.documents),
    seats: count(s.seats),
    problems: texts(s.problems),
  }
}

/** An editor that is connected. */
export interface Connection {
  principal: string
  kind: string
  peer: string
  since: string
  documents: number
  documentsWaiting: number
  messagesWaiting: number
  bytesWaiting: number
  wrote: string
  behind: string
}

export interface ServerStatus {
  version: string
  url: string
  kernel: string
  auth: string
  storageID: string
  started: string
  peers: number
  open: { documents: number; bytes: number }
  opened: number
  evicted: number
  snapshots: number
  commits: number
  changes: number
  diskBytes: number
  storage: { free: number; documents: number; refused: number; writeMicros: number; longestMicros: number; trouble: string }
  drift: { staged: number; held: number; dead: number; distiller: string; links: string[] }
  behind: number
  /** null: they are not for whoever asks. */
  connections: Connection[] | null
}

export function serverStatusFrom(v: unknown): ServerStatus {
  const s = fields(v)
  const storage = fields(s.storage)
  const drift = fields(s.drift)
  return {
    version: text(s.version),
    url: text(s.url),
    kernel: text(s.kernel),
    auth: text(s.auth),
    storageID: text(s.storage_id),
    started: text(s.started),
    peers: count(s.peers),
    open: { documents: count(s.open_documents), bytes: count(s.open_document_bytes) },
    opened: count(s.documents_opened),
    evicted: count(s.documents_closed),
    snapshots: count(s.snapshots_written),
    commits: count(s.commits),
    changes: count(s.changes_stored),
    diskBytes: count(s.disk_bytes),
    storage: {
      free: count(storage.free_bytes),
      documents: count(storage.documents),
      refused: count(storage.refused),
      writeMicros: count(storage.write_us),
      longestMicros: count(storage.longest_write_us),
      trouble: text(storage.trouble),
    },
    drift: { staged: count(drift.staged), held: count(drift.held), dead: count(drift.dead_letters), distiller: text(drift.distiller), links: texts(drift.links) },
    behind: count(s.peers_behind),
    connections: Array.isArray(s.connections)
      ? rows(s.connections, 100).map(c => ({
          principal: text(c.principal),
          kind: text(c.kind),
          peer: text(c.peer_id),
          since: text(c.since),
          documents: count(c.documents),
          documentsWaiting: count(c.documents_waiting),
          messagesWaiting: count(c.messages_waiting),
          bytesWaiting: count(c.bytes_waiting),
          wrote: text(c.last_write),
          behind: text(c.behind_since),
        }))
      : null,
  }
}

export interface Seat {
  principal: string
  kind: string
  nick: string
  instance: string
  door: string
  context: string
  status: string
  node: string
  since: string
}

export const seatsFrom = (v: unknown): Seat[] =>
  rows(fields(v).seats).map(s => ({
    principal: text(s.principal),
    kind: text(s.kind),
    nick: text(s.nick),
    instance: text(s.instance),
    door: text(s.door),
    context: text(s.context),
    status: text(s.status),
    node: text(s.node),
    since: text(s.since),
  }))

export interface Token {
  id: string
  name: string
  kind: string
  role: string
  deny: string[]
  created: string
  createdBy: string
  expires: string
  lastUsed: string
}

export const tokensFrom = (v: unknown): Token[] =>
  rows(fields(v).tokens).map(t => ({
    id: text(t.id),
    name: text(t.name),
    kind: text(t.kind),
    role: text(t.role),
    deny: texts(t.deny),
    created: text(t.created),
    createdBy: text(t.created_by),
    expires: text(t.expires),
    lastUsed: text(t.last_used),
  }))

export interface Role {
  principal: string
  kind: string
  role: string
}

export const rolesFrom = (v: unknown): Role[] => rows(fields(v).roles).map(r => ({ principal: text(r.principal), kind: text(r.kind), role: text(r.role) }))

/** The titles of contexts by their ids. */
export const titlesFrom = (v: unknown): Map<string, string> => new Map(rows(fields(v).contexts, 10_000).map(c => [text(c.id), text(c.title)]))

/** A question that waits for its answer. */
export interface Question {
  context: string
  title: string
  block: string
  by: string
  message: string
  schema: unknown
  asked: string
  expires: string
  answerable: boolean
}

export const questionsFrom = (v: unknown): Question[] =>
  rows(fields(v).questions).flatMap(q =>
    text(q.block_id) === "" || text(q.context) === ""
      ? []
      : [{ context: text(q.context), title: text(q.title), block: text(q.block_id), by: text(q.by), message: text(q.message), schema: q.schema, asked: text(q.asked), expires: text(q.expires), answerable: q.answerable === true }],
  )

/** A drift of another kernel that waits for consent here. */
export interface Held {
  drift: string
  number: number
  kernel: string
  from: string
  to: { id: string; title: string }
  by: string
  at: string
  content: string
  act: boolean
}

export const heldFrom = (v: unknown): Held[] =>
  rows(fields(v).items).flatMap(i => {
    const from = fields(i.from)
    const to = fields(i.to)
    if (text(i.drift) === "" || text(i.state) !== "held") return []
    return [
      {
        drift: text(i.drift),
        number: count(i.number),
        kernel: text(from.kernel),
        from: text(from.title) || text(from.label) || text(from.short) || text(from.id),
        to: { id: text(to.id), title: text(to.title) || text(to.label) || text(to.short) },
        by: text(i.by),
        at: text(i.at),
        content: text(i.content),
        act: text(i.act) === "pending" || text(i.act) === "asked",
      },
    ]
  })
