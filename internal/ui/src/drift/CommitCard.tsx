// What a block says that tells of a commit: message, author, files, and who
// wrote how much of each.

import { GitCommitHorizontal } from "lucide-react"
import { format } from "../core/route"
import { Badge } from "../parts"
import { many } from "./check"
import css from "./CommitCard.module.css"
import type { CommitText } from "./commit"
import type { CommitName } from "./provenance"

/** How many files show at once. */
const shownFiles = 12

export function CommitCard({ name, text }: { name: CommitName; text: CommitText }) {
  const [subject = "", ...rest] = text.message.split("\n")
  const body = rest.join("\n").trim()
  const [some, others] = [text.files.slice(0, shownFiles), text.files.slice(shownFiles)]
  return (
    <div className={css.commit}>
      <header>
        <GitCommitHorizontal aria-hidden size={16} />
        <code title={name.hash}>{name.hash.slice(0, 12)}</code>
        {name.branch && <Badge>{name.branch}</Badge>}
        {name.mount && <a href={format({ view: "git", mount: name.mount })}>{name.mount}</a>}
        <span className={css.count}>{many(Math.max(name.files, text.files.length), "file")}</span>
      </header>
      <p className={css.subject}>{subject || "No message"}</p>
      {body && <pre className={css.body}>{body}</pre>}
      <p className={css.author}>Author: {text.author}</p>
      {some.length > 0 && (
        <ul className={css.files} aria-label="Files">
          {some.map(f => (
            <File key={f.path} file={f} />
          ))}
        </ul>
      )}
      {others.length + text.more > 0 && (
        <details className={css.more}>
          <summary>{many(others.length + text.more, "more file")}</summary>
          <ul className={css.files}>
            {others.map(f => (
              <File key={f.path} file={f} />
            ))}
          </ul>
          {text.more > 0 && <p>The block does not name the other {text.more}.</p>}
        </details>
      )}
    </div>
  )
}

function File({ file: { path, change, shares } }: { file: CommitText["files"][number] }) {
  const all = shares.reduce((sum, s) => sum + s.chars, 0)
  return (
    <li>
      <code className={css.path}>{path}</code>
      <span className={css.change}>{change}</span>
      <span className={css.shares}>{shares.map(s => `${s.name} ${percent(s.chars, all)}`).join(", ")}</span>
    </li>
  )
}

const percent = (part: number, all: number) => (all > 0 ? `${Math.max(1, Math.round((100 * part) / all))} %` : "")
