import { useState } from "react"
import { op } from "../core/ops"
import { Button, Check, Dialog, Field } from "../parts"
import { errorAt, errorElsewhere, useDeed } from "./deeds"
import type { Mount } from "./answers"
import styles from "./git.module.css"

const trailers = [
  { value: "all", label: "Everybody, and the context's id and heads" },
  { value: "people", label: "Other people" },
  { value: "off", label: "Nobody" },
]
const authors = [
  { value: "most", label: "Who wrote most of the change" },
  { value: "caller", label: "Who commits" },
  { value: "committer", label: "The committer of the server" },
]
const fields = ["rw", "disk_as", "trailers", "notes", "author"]

/** Says whether a mount may be written to, and what its commits tell. */
export function MountSettings({ mount, onClose, onDone }: { mount: Mount; onClose(): void; onDone(): void }) {
  const [rw, setRw] = useState(mount.rw)
  const [diskAs, setDiskAs] = useState(mount.diskAs)
  const [trailer, setTrailer] = useState(mount.trailers || "all")
  const [author, setAuthor] = useState(mount.author || "most")
  const [notes, setNotes] = useState(mount.notes !== "off")
  const { busy, error, run } = useDeed()
  const git = mount.kind === "git"
  const save = () =>
    run(async () => {
      const policy = git ? { disk_as: diskAs.trim(), trailers: trailer, author, notes: notes ? "on" : "off" } : {}
      await op("mount_set", { mount: mount.path, rw, ...policy })
      onDone()
    })
  return (
    <Dialog
      title={`Settings of ${mount.path}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" busy={busy} onClick={() => void save()}>Save</Button>
        </>
      }
    >
      <div className={styles.form}>
        <Check label="May be written to" checked={rw} onChange={e => setRw(e.target.checked)} />
        {git && (
          <>
            <Field label="Author of commits" choices={authors} value={author} onChange={e => setAuthor(e.target.value)} error={errorAt(error, "author")} />
            <Field label="Whom trailers name" choices={trailers} value={trailer} onChange={e => setTrailer(e.target.value)} error={errorAt(error, "trailers")} />
            <Check label="A note with each commit of who wrote which line" hint="Under refs/notes/ai, in the format of git-ai." checked={notes} onChange={e => setNotes(e.target.checked)} />
            <Field label="Whose edits on the disk are" hint="A name, where only one person works there. Empty: the service disk." value={diskAs} onChange={e => setDiskAs(e.target.value)} error={errorAt(error, "disk_as")} />
          </>
        )}
        {errorElsewhere(error, git ? fields.filter(f => f !== "rw" && f !== "notes") : []) && <p className={styles.error} role="alert">{errorElsewhere(error, [])}</p>}
      </div>
    </Dialog>
  )
}
