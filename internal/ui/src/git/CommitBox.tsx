import { Check as Done, Sparkles } from "lucide-react"
import { useEffect, useRef, useState } from "react"
import { placeOf } from "../core/directory"
import { op, Refused } from "../core/ops"
import { Button, Field } from "../parts"
import { madeFrom, type Changed, type Made, type Mount } from "./answers"
import { Attribution } from "./Attribution"
import { useDeed, wordsOf } from "./deeds"
import { keepDraft, readDraft } from "./drafts"
import { IdentityDialog, useIdentity } from "./IdentityDialog"
import styles from "./git.module.css"
import { many } from "./words"

/** How many paths a commit may name. */
const maxPaths = 1000

interface Props {
  mount: Mount
  head: string
  files: readonly Changed[]
  /** They are all there are. */
  all: boolean
  /** What the last commit here came to; null when another one is begun. */
  onMade(made: Made | null): void
  onChange(): void
}

/** Writes the message, shows whom the commit would name, and makes it. */
export function CommitBox({ mount, head, files, all, onMade, onChange }: Props) {
  const [message, setMessage] = useState(() => readDraft(mount.path))
  const [preview, setPreview] = useState<Made | null>(null)
  const [naming, setNaming] = useState(false)
  const [doing, setDoing] = useState<"preview" | "summary" | "commit">("preview")
  const { busy, error, run, clear } = useDeed()
  const { own, known, reload } = useIdentity()
  useEffect(() => keepDraft(mount.path, message), [mount.path, message])

  // A preview is of what was chosen when it was asked for.
  const key = `${head}\n${files.map(f => f.path).join("\n")}`
  const seen = useRef(key)
  useEffect(() => {
    if (seen.current === key) return
    seen.current = key
    setPreview(null)
  }, [key])

  const which = all ? { all: true } : { paths: files.map(f => `${mount.path}/${f.path}`) }
  const call = async (more: object) => madeFrom(await op<unknown>("git_commit", { mount: mount.path, ...which, ...more }))
  const show = () => {
    setDoing("preview")
    return run(async () => setPreview(await call({ message: message.trim() || "(no message yet)", dry_run: true })))
  }
  const summarise = () => {
    setDoing("summary")
    return run(async () => {
      const said = await call({ summarize: true })
      setMessage(said.message.trim() ? withoutTrailers(said.message) : "")
      setPreview(said)
    })
  }
  const commit = () => {
    setDoing("commit")
    return run(async () => {
      const done = await call({ message: message.trim() })
      onMade(done)
      setPreview(null)
      setMessage("")
      onChange()
    })
  }
  const tooMany = !all && files.length > maxPaths
  const conflict = error instanceof Refused && error.kind === "conflict"
  // The dialog is no part of the form: what is sent in it would be sent from here, too.
  return (
    <>
      <form
        className={styles.commit}
        aria-label="Commit"
        onSubmit={e => {
          e.preventDefault()
          void commit()
        }}
      >
        <Field
          label="Message"
          multiline
          rows={4}
          value={message}
          placeholder={"What the commit does, in one line\n\nWhy, below it"}
          onChange={e => {
            setMessage(e.target.value)
            clear()
            onMade(null)
          }}
          onKeyDown={e => {
            if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey)) return
            e.preventDefault()
            if (message.trim() && files.length > 0) void commit()
          }}
        />
        {known && !own?.email && (
          <p className={styles.hint}>
            Commits do not know your address yet.{" "}
            <button type="button" className={styles.inline} onClick={() => setNaming(true)}>Say your name</button>
          </p>
        )}
        {error && (
          <div className={styles.error} role="alert">
            {wordsOf(error)}{" "}
            {conflict && (
              <button
                type="button"
                className={styles.inline}
                onClick={() => {
                  clear()
                  setPreview(null)
                  onChange()
                }}
              >
                Read again
              </button>
            )}
          </div>
        )}
        {tooMany && <p className={styles.error}>A commit names at most {maxPaths.toLocaleString("en")} files: choose all, or fewer.</p>}
        <div className={styles.row}>
          <Button variant="primary" type="submit" busy={busy && doing === "commit"} disabled={busy || !message.trim() || files.length === 0 || tooMany}>
            Commit {many(files.length, "file")}
          </Button>
          <Button busy={busy && doing === "preview"} disabled={busy || files.length === 0 || tooMany} onClick={() => void show()}>
            Preview
          </Button>
          <Button variant="ghost" icon={<Sparkles aria-hidden />} busy={busy && doing === "summary"} disabled={busy || files.length === 0 || tooMany} onClick={() => void summarise()} title="Let the server's distiller write the message from the differences">
            Summarise
          </Button>
        </div>
        {preview && <Attribution made={preview} />}
      </form>
      {naming && <IdentityDialog onClose={() => setNaming(false)} onDone={reload} />}
    </>
  )
}

/** The message that the distiller wrote; the server puts the trailers behind it again. */
function withoutTrailers(message: string): string {
  return message.trimEnd().replace(/\n\n(?:(?:Co-authored-by|Kaijutsu-Context|Kaijutsu-Heads): .+(?:\n|$))+$/, "")
}

/** Says what a commit came to. */
export function Result({ made }: { made: Made }) {
  return (
    <div className={styles.result} role="status">
      <Done aria-hidden />
      <div>
        <p>
          Committed <code title={made.commit}>{made.commit.slice(0, 12)}</code> on {made.branch || "no branch"}: {many(made.files.length, "file")}
          {made.signed && ", signed"}
        </p>
        <p className={styles.faint}>
          {made.author.name}
          {made.coAuthors.length > 0 && ` with ${made.coAuthors.map(a => a.name).join(", ")}`}
          {made.notesRef && `; a note under ${made.notesRef} says who wrote which line`}
        </p>
        {made.notice && <p className={styles.faint}>{made.notice}</p>}
        {made.context && made.block && <a href={placeOf(made.context, made.block)}>The block that tells of it</a>}
      </div>
    </div>
  )
}
