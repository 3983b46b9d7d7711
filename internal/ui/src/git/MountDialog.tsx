import { useState } from "react"
import { op } from "../core/ops"
import { Button, Check, Dialog, Field } from "../parts"
import { mountFrom, type Mount } from "./answers"
import { errorAt, errorElsewhere, useDeed } from "./deeds"
import styles from "./git.module.css"

const fields = ["path", "source", "branch", "rw"]

/** Puts a folder, a repository or memory at a path. */
export function MountDialog({ onClose, onDone }: { onClose(): void; onDone(mount: Mount): void }) {
  const [path, setPath] = useState("/mnt/")
  const [source, setSource] = useState("git:~/")
  const [branch, setBranch] = useState("")
  const [rw, setRw] = useState(true)
  const { busy, error, run } = useDeed()
  const git = source.trim().startsWith("git:")
  const mount = () =>
    run(async () => {
      const params = { path: path.trim(), source: source.trim(), rw, ...(git && branch.trim() ? { branch: branch.trim() } : {}) }
      onDone(mountFrom(await op<unknown>("mount_add", params)))
    })
  return (
    <Dialog
      title="Mount"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="mount" busy={busy}>Mount</Button>
        </>
      }
    >
      <form
        id="mount"
        className={styles.form}
        onSubmit={e => {
          e.preventDefault()
          void mount()
        }}
      >
        <Field label="Path" hint="Where it is to be in the file tree." value={path} onChange={e => setPath(e.target.value)} error={errorAt(error, "path")} required autoFocus spellCheck={false} />
        <Field
          label="Source"
          hint="git:~/src/app or git:https://host/app.git for a repository, ~/notes for a folder of the server's disk, memory for nothing but memory."
          value={source}
          onChange={e => {
            setSource(e.target.value)
            if (e.target.value.startsWith("git:") !== git) setRw(e.target.value.startsWith("git:"))
          }}
          error={errorAt(error, "source")}
          required
          spellCheck={false}
        />
        {git && <Field label="Branch" hint="Made from HEAD when it is not there. Left empty: a branch kj/… of its own. Your checkout is never touched." value={branch} onChange={e => setBranch(e.target.value)} error={errorAt(error, "branch")} spellCheck={false} />}
        <Check label="May be written to" checked={rw} onChange={e => setRw(e.target.checked)} />
        {errorAt(error, "rw") && <p className={styles.error} role="alert">{errorAt(error, "rw")}</p>}
        {errorElsewhere(error, fields) && <p className={styles.error} role="alert">{errorElsewhere(error, fields)}</p>}
        {busy && git && <p className={styles.faint}>A large repository takes a while to check out.</p>}
      </form>
    </Dialog>
  )
}
