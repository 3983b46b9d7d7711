import { BadgeCheck, ChevronRight, GitCommitHorizontal } from "lucide-react"
import { useEffect, useMemo, useRef, useState } from "react"
import { colourOf } from "../core/actors"
import { useOp } from "../core/hooks"
import { Avatar, Button, Empty, TimeAgo } from "../parts"
import { diffsFrom, logFrom, type Commit, type Mount } from "./answers"
import { DiffView } from "../parts/diff/DiffView"
import { State } from "./State"
import styles from "./Log.module.css"
import shared from "./git.module.css"
import { many, trailersOf } from "./words"

const portion = 30
const most = 1000

/** The commits of a mount, newest first. */
export function Log({ mount, head }: { mount: Mount; head: string }) {
  const [limit, setLimit] = useState(portion)
  const [open, setOpen] = useState("")
  const asked = useOp<unknown>("git_log", { mount: mount.path, limit })
  const seen = useRef(head)
  useEffect(() => {
    if (seen.current === head) return
    seen.current = head
    asked.reload()
  }, [head, asked])
  const { commits, more } = useMemo(() => logFrom(asked.data), [asked.data])
  return (
    <State of={asked} what="the log">
      {commits.length === 0 ? (
        <Empty icon={<GitCommitHorizontal aria-hidden />} title="No commit yet" />
      ) : (
        <ol className={styles.log} aria-label="Commits">
          {commits.map(c => (
            <One key={c.hash} mount={mount} commit={c} open={open === c.hash} onOpen={() => setOpen(open === c.hash ? "" : c.hash)} />
          ))}
        </ol>
      )}
      {more && limit < most && (
        <Button className={shared.more} busy={asked.loading} onClick={() => setLimit(Math.min(most, limit * 3))}>
          Show more
        </Button>
      )}
    </State>
  )
}

function One({ mount, commit, open, onOpen }: { mount: Mount; commit: Commit; open: boolean; onOpen(): void }) {
  const { text, trailers } = trailersOf(commit.message)
  const others = trailers.filter(t => t.key === "Co-authored-by").map(t => t.value.replace(/\s*<[^>]*>\s*$/, ""))
  const body = text.split("\n").slice(1).join("\n").trim()
  return (
    <li className={styles.commit} data-open={open}>
      <button type="button" aria-expanded={open} onClick={onOpen}>
        <ChevronRight className={styles.chevron} aria-hidden />
        <span className={styles.subject}>{commit.subject || "(no message)"}</span>
        <span className={styles.who}>
          {[commit.author.name, ...others].slice(0, 4).map((name, n) => <Avatar key={name + n} name={name} hue={colourOf(name)} size={20} />)}
        </span>
        <TimeAgo className={shared.faint} at={commit.author.at} />
        <code className={styles.hash} title={commit.hash}>{commit.hash.slice(0, 8)}</code>
        {commit.signed && <BadgeCheck className={styles.signed} aria-label="Signed; nobody checked it here" />}
      </button>
      {open && (
        <div className={styles.body}>
          {body && <p className={styles.message}>{body}</p>}
          <dl className={styles.facts}>
            <dt>Author</dt>
            <dd>{commit.author.name} <span className={shared.faint}>&lt;{commit.author.email}&gt;</span></dd>
            <dt>Committer</dt>
            <dd>{commit.committer.name} <span className={shared.faint}>&lt;{commit.committer.email}&gt;</span></dd>
            {trailers.map((t, n) => [<dt key={`k${n}`}>{t.key}</dt>, <dd key={`v${n}`} className={styles.value}>{t.value}</dd>])}
          </dl>
          {commit.parents > 0 ? <CommitDiff mount={mount} hash={commit.hash} /> : <p className={shared.faint}>The first commit: everything in it is new.</p>}
        </div>
      )}
    </li>
  )
}

function CommitDiff({ mount, hash }: { mount: Mount; hash: string }) {
  const asked = useOp<unknown>("git_diff", { mount: mount.path, from: `${hash}~1`, to: hash })
  const diffs = useMemo(() => diffsFrom(asked.data), [asked.data])
  return (
    <State of={asked} what="the difference">
      {diffs.slice(0, 50).map(d => (
        <details key={d.path} className={styles.file} open={diffs.length <= 3}>
          <summary>
            <span className={shared.path}>{d.path}</span> <span className={shared.faint}>{d.binary ? "no text" : `+${d.added} −${d.deleted}`}</span>
          </summary>
          {d.diff ? <DiffView unified={d.diff} label={d.path} /> : <p className={shared.faint}>{d.binary ? "No text." : "Too long to show here."}</p>}
        </details>
      ))}
      {diffs.length > 50 && <p className={shared.faint}>and {many(diffs.length - 50, "file")} more</p>}
    </State>
  )
}
