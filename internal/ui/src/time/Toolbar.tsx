// What is shown of a history, and how: grain, author, comparison, a time to
// jump to.

import { ArrowLeft, Columns2, Link2, Rows2 } from "lucide-react"
import { colourOf } from "../core/actors"
import { Avatar, IconButton } from "../parts"
import type { DiffMode } from "../parts/diff/DiffView"
import styles from "./HistoryView.module.css"
import { grains, type AuthorTotal } from "./points"
import { nameOf, plural } from "./words"

export type CompareWith = "none" | "previous" | "now" | "point" | "seen"

export interface ToolbarProps {
  onBack(): void
  grain: string
  fitting: string
  onGrain(id: string): void
  author: string
  authors: readonly AuthorTotal[]
  onAuthor(name: string): void
  compare: CompareWith
  seen: boolean
  onCompare(with_: CompareWith): void
  mode: DiffMode
  onMode(mode: DiffMode): void
  onTime(at: number): void
  onCopy(): void
}

export function Toolbar(p: ToolbarProps) {
  return (
    <header className={styles.bar}>
      <div className={styles.options} role="toolbar" aria-label="What is shown">
        <IconButton label="Back to the context" icon={<ArrowLeft />} onClick={p.onBack} />
        <label>
          <span>Steps</span>
          <select value={p.grain} onChange={e => p.onGrain(e.currentTarget.value)}>
            <option value="">{p.fitting ? `Fitting (${p.fitting.toLowerCase()})` : "Fitting"}</option>
            {grains.map(g => <option key={g.id} value={g.id}>{g.title}</option>)}
          </select>
        </label>
        <label>
          <span>Author</span>
          <select value={p.author} onChange={e => p.onAuthor(e.currentTarget.value)}>
            <option value="">Everybody</option>
            {p.authors.map(a => <option key={a.author} value={a.author}>{nameOf(a.author)} ({plural(a.changes, "change")})</option>)}
          </select>
        </label>
        <label>
          <span>Compare with</span>
          <select value={p.compare} onChange={e => p.onCompare(e.currentTarget.value as CompareWith)}>
            <option value="none">Nothing</option>
            <option value="previous">Previous step</option>
            <option value="now">Now</option>
            <option value="point">Another point</option>
            {p.seen && <option value="seen">My last visit</option>}
          </select>
        </label>
        {p.compare !== "none" && (
          <span className={styles.modes}>
            <IconButton label="Below each other" icon={<Rows2 />} size="s" pressed={p.mode === "inline"} onClick={() => p.onMode("inline")} />
            <IconButton label="Side by side" icon={<Columns2 />} size="s" pressed={p.mode === "split"} onClick={() => p.onMode("split")} />
          </span>
        )}
        <label>
          <span>Jump to</span>
          <input
            type="datetime-local"
            onChange={e => {
              const at = new Date(e.currentTarget.value).getTime()
              if (Number.isFinite(at)) p.onTime(at + 59_999) // the whole minute
            }}
          />
        </label>
        {p.authors.length > 0 && (
          <ul className={styles.legend} aria-label="Authors">
            {p.authors.slice(0, 8).map(a => (
              <li key={a.author}>
                <Avatar name={a.author} hue={colourOf(a.author)} size={16} label="" /> {nameOf(a.author)}
              </li>
            ))}
            {p.authors.length > 8 && <li>and {p.authors.length - 8} more</li>}
          </ul>
        )}
        <IconButton label="Copy a link to this point" icon={<Link2 />} onClick={p.onCopy} />
      </div>
    </header>
  )
}
