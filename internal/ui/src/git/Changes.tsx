import { CircleCheck } from "lucide-react"
import { useEffect, useMemo, useState } from "react"
import { placeOf } from "../core/directory"
import { Badge, Check, Empty } from "../parts"
import type { Changed, Made, Mount, Status } from "./answers"
import { CommitBox, Result } from "./CommitBox"
import { ConflictPanel } from "./ConflictPanel"
import { FileDiffView } from "./FileDiffView"
import { State } from "./State"
import styles from "./git.module.css"
import { baseName, changeOf, dirName, many } from "./words"

interface Props {
  mount: Mount
  asked: { data: unknown; error: Error | null; loading: boolean; reload(): void }
  status: Status | null
  onChange(): void
}

/** How many files show at first. */
const portion = 300

/** What is not committed: files to choose, the difference of one, and the commit. */
export function Changes({ mount, asked, status, onChange }: Props) {
  const files = useMemo(() => status?.files ?? [], [status])
  // What was taken out of the commit; all others are in it, also those that come later.
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set())
  const [shown, setShown] = useState("")
  const [most, setMost] = useState(portion)
  const [made, setMade] = useState<Made | null>(null)
  const chosen = useMemo(() => files.filter(f => !left.has(f.path) && !f.conflict), [files, left])
  const file = files.find(f => f.path === shown) ?? (shown === "" ? files[0] : undefined)
  useEffect(() => {
    if (shown !== "" && !files.some(f => f.path === shown)) setShown("")
  }, [files, shown])
  const choose = (paths: string[], yes: boolean) =>
    setLeft(now => {
      const next = new Set(now)
      for (const p of paths) yes ? next.delete(p) : next.add(p)
      return next
    })
  const able = files.filter(f => !f.conflict)
  return (
    <State of={asked} what="what changed">
      {made && <Result made={made} />}
      {files.length === 0 ? (
        <Empty icon={<CircleCheck aria-hidden />} title="Nothing to commit">
          {status?.head ? "Every file is as the last commit has it." : "There is no commit yet, and no file."}
        </Empty>
      ) : (
        <div className={styles.changes}>
          <div className={styles.files}>
            <Check
              className={styles.all}
              label={`${many(chosen.length, "file")} of ${files.length.toLocaleString("en")} in the commit`}
              checked={chosen.length === able.length && able.length > 0}
              ref={el => {
                if (el) el.indeterminate = chosen.length > 0 && chosen.length < able.length
              }}
              onChange={e => choose(able.map(f => f.path), e.target.checked)}
            />
            <ul className={styles.list} aria-label="Changed files">
              {files.slice(0, most).map(f => (
                <ChangedFile key={f.path} file={f} chosen={!left.has(f.path) && !f.conflict} open={f === file} onOpen={() => setShown(f.path)} onChoose={yes => choose([f.path], yes)} />
              ))}
            </ul>
            {files.length > most && <button type="button" className={styles.more} onClick={() => setMost(most + portion)}>Show more: {(files.length - most).toLocaleString("en")} left</button>}
            {status?.truncated && <p className={styles.faint}>There are more files than one answer holds.</p>}
            <CommitBox mount={mount} head={status?.head ?? ""} files={chosen} all={chosen.length === files.length && !status?.truncated} onMade={setMade} onChange={onChange} />
          </div>
          <div className={styles.detail} aria-live="off">
            {file && (
              <>
                <header className={styles.fileHead}>
                  <span className={styles.path}>{file.path}</span>
                  {file.block && status?.context && <a className={styles.link} href={placeOf(status.context, file.block)}>Edit</a>}
                </header>
                {file.conflict ? <ConflictPanel mount={mount} file={file} context={status?.context ?? ""} onDone={onChange} /> : <FileDiffView mount={mount} file={file} version={asked.data} />}
              </>
            )}
          </div>
        </div>
      )}
    </State>
  )
}

function ChangedFile({ file, chosen, open, onOpen, onChoose }: { file: Changed; chosen: boolean; open: boolean; onOpen(): void; onChoose(yes: boolean): void }) {
  const { word, tone, letter, more } = changeOf(file)
  return (
    <li className={styles.changed} data-open={open}>
      <input type="checkbox" aria-label={`Commit ${file.path}`} checked={chosen} disabled={file.conflict} onChange={e => onChoose(e.target.checked)} />
      <button type="button" aria-current={open || undefined} onClick={onOpen} title={more ? `${file.path}: ${word}, ${more}` : `${file.path}: ${word}`}>
        <span className={styles.name}>
          <span>{baseName(file.path)}</span>
          <span className={styles.faint}>{dirName(file.path)}</span>
        </span>
        {file.conflict ? <Badge tone="danger">conflict</Badge> : <span className={styles.letter} data-tone={tone} aria-label={word}>{letter}</span>}
      </button>
    </li>
  )
}
