// What the operations on mounts, files and repositories answer, checked: what
// is not as it should be reads as absent, and a list that is too long is cut.

type Fields = Record<string, unknown>

const isFields = (v: unknown): v is Fields => typeof v === "object" && v !== null && !Array.isArray(v)
const text = (v: unknown): string => (typeof v === "string" ? v : "")
const count = (v: unknown): number => (Number.isSafeInteger(v) && (v as number) > 0 ? (v as number) : 0)
const rows = (v: unknown, most = 10_000): Fields[] => (Array.isArray(v) ? v.slice(0, most).filter(isFields) : [])
const fields = (v: unknown): Fields => (isFields(v) ? v : {})

export interface Mount {
  path: string
  source: string
  kind: string
  rw: boolean
  state: string
  reason: string
  branch: string
  head: string
  context: string
  dir: string
  openFiles: number
  dirty: number
  conflicts: number
  diskAs: string
  trailers: string
  notes: string
  author: string
  by: string
  at: string
  notice: string
}

export function mountFrom(v: unknown): Mount {
  const m = fields(v)
  return {
    path: text(m.path),
    source: text(m.source),
    kind: text(m.kind),
    rw: m.rw === true,
    state: text(m.state),
    reason: text(m.reason),
    branch: text(m.branch),
    head: text(m.head),
    context: text(m.context),
    dir: text(m.dir),
    openFiles: count(m.open_files),
    dirty: count(m.dirty),
    conflicts: count(m.conflicts),
    diskAs: text(m.disk_as),
    trailers: text(m.trailers),
    notes: text(m.notes),
    author: text(m.author),
    by: text(m.by),
    at: text(m.at),
    notice: text(m.notice),
  }
}

export const mountsFrom = (v: unknown): Mount[] => rows(fields(v).mounts).map(mountFrom).filter(m => m.path.startsWith("/"))

/** A file that is not as the last commit has it. */
export interface Changed {
  path: string
  oldPath: string
  staged: string
  unstaged: string
  block: string
  dirty: boolean
  conflict: boolean
}

export interface Status {
  mount: string
  branch: string
  detached: boolean
  head: string
  context: string
  paused: boolean
  reason: string
  files: Changed[]
  truncated: boolean
}

export function statusFrom(v: unknown): Status {
  const s = fields(v)
  const files = rows(s.files).map(f => ({
    path: text(f.path),
    oldPath: text(f.old_path),
    staged: text(f.staged),
    unstaged: text(f.unstaged),
    block: text(f.block_id),
    dirty: f.dirty === true,
    conflict: f.conflict === true,
  }))
  return {
    mount: text(s.mount),
    branch: text(s.branch),
    detached: s.detached === true,
    head: text(s.head),
    context: text(s.context),
    paused: s.paused === true,
    reason: text(s.reason),
    files: files.filter(f => f.path !== ""),
    truncated: s.truncated === true,
  }
}

export interface FileDiff {
  path: string
  oldPath: string
  diff: string
  added: number
  deleted: number
  binary: boolean
}

export const diffsFrom = (v: unknown): FileDiff[] =>
  rows(fields(v).files).map(f => ({ path: text(f.path), oldPath: text(f.old_path), diff: text(f.diff), added: count(f.added), deleted: count(f.deleted), binary: f.binary === true }))

export interface Signature {
  name: string
  email: string
  at: string
}

const signature = (v: unknown): Signature => ({ name: text(fields(v).name), email: text(fields(v).email), at: text(fields(v).at) })

export interface Commit {
  hash: string
  parents: number
  author: Signature
  committer: Signature
  subject: string
  message: string
  signed: boolean
}

export const logFrom = (v: unknown): { commits: Commit[]; more: boolean } => ({
  commits: rows(fields(v).commits).map(c => ({
    hash: text(c.hash),
    parents: Array.isArray(c.parents) ? c.parents.length : 0,
    author: signature(c.author),
    committer: signature(c.committer),
    subject: text(c.subject),
    message: text(c.message),
    signed: c.signed === true,
  })),
  more: fields(v).more === true,
})

export interface Branch {
  name: string
  head: string
  current: boolean
  remote: boolean
  worktree: string
}

export const branchesFrom = (v: unknown): { current: string; context: string; notice: string; branches: Branch[] } => {
  const b = fields(v)
  return {
    current: text(b.current),
    context: text(b.context),
    notice: text(b.notice),
    branches: rows(b.branches).map(r => ({ name: text(r.name), head: text(r.head), current: r.current === true, remote: r.remote === true, worktree: text(r.worktree) })),
  }
}

export interface Entry {
  name: string
  path: string
  kind: string
  size: number
  executable: boolean
  target: string
  binary: boolean
  context: string
  block: string
}

export const entryFrom = (v: unknown): Entry => {
  const e = fields(v)
  return {
    name: text(e.name),
    path: text(e.path),
    kind: text(e.kind),
    size: count(e.size),
    executable: e.executable === true,
    target: text(e.target),
    binary: e.binary === true,
    context: text(e.context),
    block: text(e.block_id),
  }
}

export const entriesFrom = (v: unknown): { entries: Entry[]; next: string } => ({
  entries: rows(fields(v).entries).map(entryFrom).filter(e => e.name !== "" && e.path !== ""),
  next: text(fields(v).next),
})

export interface Match {
  path: string
  line: number
  text: string
}

export const matchesFrom = (v: unknown): { matches: Match[]; truncated: boolean; skipped: number } => ({
  matches: rows(fields(v).matches, 1000).map(m => ({ path: text(m.path), line: count(m.line), text: text(m.text) })),
  truncated: fields(v).truncated === true,
  skipped: count(fields(v).skipped),
})

export interface Share {
  principal: string
  kind: string
  model: string
  characters: number
}

const shares = (v: unknown): Share[] => rows(v, 200).map(s => ({ principal: text(s.principal), kind: text(s.kind), model: text(s.model), characters: count(s.characters) }))

/** A commit as it would be, or as it was made. */
export interface Made {
  committed: boolean
  branch: string
  commit: string
  message: string
  author: Signature
  coAuthors: Signature[]
  committer: Signature
  signed: boolean
  shares: Share[]
  files: { path: string; what: string; binary: boolean; block: string; added: number; deleted: number; shares: Share[] }[]
  notesRef: string
  context: string
  block: string
  distiller: string
  model: string
  notice: string
}

export function madeFrom(v: unknown): Made {
  const m = fields(v)
  return {
    committed: m.committed === true,
    branch: text(m.branch),
    commit: text(m.commit),
    message: text(m.message),
    author: signature(m.author),
    coAuthors: rows(m.co_authors, 200).map(signature),
    committer: signature(m.committer),
    signed: m.signed === true,
    shares: shares(m.shares),
    files: rows(m.files).map(f => ({
      path: text(f.path),
      what: text(f.what),
      binary: f.binary === true,
      block: text(f.block_id),
      added: count(f.added),
      deleted: count(f.deleted),
      shares: shares(f.shares),
    })),
    notesRef: text(m.notes_ref),
    context: text(m.context),
    block: text(m.block_id),
    distiller: text(m.distiller),
    model: text(m.model),
    notice: text(m.notice),
  }
}

/** Who wrote a line of a file last. */
export interface Line {
  line: number
  by: string
  kind: string
  via: string
  model: string
  context: string
  change: string
  time: string
  source: string
  commit: string
  author: string
}

export const blameFrom = (v: unknown): Line[] =>
  rows(fields(v).lines, 100_000).map(l => ({
    line: count(l.line),
    by: text(l.by),
    kind: text(l.kind),
    via: text(l.via),
    model: text(l.model),
    context: text(l.context),
    change: text(l.change),
    time: text(l.time),
    source: text(l.source),
    commit: text(l.commit),
    author: text(l.author),
  }))

export interface Identity {
  principal: string
  kind: string
  name: string
  email: string
}

export const identitiesFrom = (v: unknown): Identity[] =>
  rows(fields(v).identities).map(i => ({ principal: text(i.principal), kind: text(i.kind), name: text(i.name), email: text(i.email) }))
