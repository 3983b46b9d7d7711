// Mounts, files and commits in plain words.

import type { Changed, Entry, Line, Mount, Share } from "./answers"

export type Tone = "ok" | "warn" | "danger" | "plain"

/** "1 file", "3 files". */
export const many = (n: number, one: string, more = one + "s") => `${n.toLocaleString("en")} ${n === 1 ? one : more}`

/** How a mount fares, in a word or two and in a sentence. */
export function stateOf(m: Mount): { tone: Tone; word: string; why: string } {
  if (m.state === "failed") return { tone: "danger", word: "failed", why: m.reason || "It cannot be opened." }
  if (m.conflicts > 0) return { tone: "danger", word: many(m.conflicts, "conflict"), why: "Block and disk contradict each other in the same lines. Say which counts." }
  if (m.state === "paused") return { tone: "warn", word: "paused", why: m.reason || "Blocks and disk are not kept in step at the moment." }
  if (m.state === "opening") return { tone: "warn", word: "opening", why: m.reason }
  if (m.state === "elsewhere") return { tone: "plain", word: "on another server", why: m.reason || "Another server's disk: its blocks can be edited here, its files cannot be read." }
  if (m.dirty > 0) return { tone: "plain", word: `${many(m.dirty, "file")} being written`, why: "Edits of blocks that the disk does not have yet." }
  if (m.kind !== "git") return { tone: "ok", word: "ready", why: "" }
  return { tone: "ok", word: "in step", why: "Blocks and disk say the same." }
}

/** What happened to a file since the last commit. */
export function changeOf(f: Changed): { word: string; letter: string; tone: Tone; more: string } {
  const { staged, unstaged } = f
  const more = [
    f.oldPath && `was ${f.oldPath}`,
    staged && (unstaged ? "partly staged in git's index" : "staged in git's index"),
    f.dirty && "not on the disk yet",
  ]
    .filter(Boolean)
    .join(", ")
  const what = f.conflict ? "conflict" : unstaged && unstaged !== staged ? unstaged : staged
  switch (what) {
    case "conflict":
      return { word: "conflict", letter: "!", tone: "danger", more }
    case "untracked":
    case "added":
      return { word: "new", letter: "+", tone: "ok", more }
    case "deleted":
      return { word: "deleted", letter: "−", tone: "danger", more }
    case "renamed":
      return { word: "renamed", letter: "→", tone: "plain", more }
    case "type changed":
      return { word: "another kind of file", letter: "±", tone: "warn", more }
    default:
      return { word: "changed", letter: "±", tone: "warn", more }
  }
}

/** Why a file does not open as a block; "" if it may. */
export function whyNoBlock(e: Entry, limit = 512 << 10): string {
  if (e.kind === "submodule") return "another repository"
  if (e.kind === "other") return "no file that could be read"
  if (e.binary) return "no text"
  if (e.kind === "file" && e.size > limit) return "too large to edit here"
  return ""
}

/** A size for people. */
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`
  const units = ["KiB", "MiB", "GiB", "TiB"]
  let n = bytes
  let unit = "B"
  for (const u of units) {
    if (n < 1024) break
    n /= 1024
    unit = u
  }
  return `${n < 10 ? n.toFixed(1) : Math.round(n).toLocaleString("en")} ${unit}`
}

/** Who a line is from, and how that is known. */
export function lineBy(l: Line): { name: string; how: string; known: boolean } {
  const model = l.model ? ` on ${l.model}` : ""
  const via = l.via ? ` via ${l.via}` : ""
  switch (l.source) {
    case "log":
      return { name: l.by || "?", how: `${l.by}${model}${via}: the change log knows`, known: true }
    case "note":
      return { name: l.by || nameIn(l.author), how: `${l.by || l.author}${model}: a note of commit ${l.commit.slice(0, 8)} says so`, known: true }
    case "git":
      return { name: l.by || nameIn(l.author) || "git", how: `${l.author || "somebody"}: commit ${l.commit.slice(0, 8)} names them`, known: false }
    default:
      return { name: l.by && l.by !== "disk" ? l.by : "on disk", how: "A program on the disk: nobody knows more", known: false }
  }
}

/** The name in "Name <address>". */
const nameIn = (author: string) => author.replace(/\s*<[^>]*>\s*$/, "")

/** Shares of a change in per cent, the small ones rounded up so that nobody vanishes. */
export function percents(shares: readonly Share[]): { share: Share; percent: number }[] {
  const all = shares.reduce((sum, s) => sum + s.characters, 0)
  return shares.filter(s => s.characters > 0).map(share => ({ share, percent: Math.max(1, Math.round((100 * share.characters) / all)) }))
}

/** The trailers at the end of a commit's message, and what stands before them. */
export function trailersOf(message: string): { text: string; trailers: { key: string; value: string }[] } {
  const paragraphs = message.trimEnd().split(/\n[ \t]*\n/)
  const last = paragraphs.at(-1) ?? ""
  const lines = last.split("\n").map(l => /^([A-Za-z][A-Za-z0-9-]*): (.+)$/.exec(l))
  if (paragraphs.length < 2 || lines.some(l => !l)) return { text: message.trimEnd(), trailers: [] }
  return { text: paragraphs.slice(0, -1).join("\n\n"), trailers: lines.map(l => ({ key: l![1]!, value: l![2]! })) }
}

/** The last part of a path. */
export const baseName = (path: string) => path.slice(path.lastIndexOf("/") + 1) || path
/** What stands before it. */
export const dirName = (path: string) => path.slice(0, path.lastIndexOf("/") + 1)
