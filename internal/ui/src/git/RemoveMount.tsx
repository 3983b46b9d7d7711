import { useState } from "react"
import { op } from "../core/ops"
import { Button, Check, Dialog, toast } from "../parts"
import type { Mount } from "./answers"
import { useDeed, wordsOf } from "./deeds"
import styles from "./git.module.css"

/** Asks before a mount is taken out of the tree. */
export function RemoveMount({ mount, onClose, onDone }: { mount: Mount; onClose(): void; onDone(): void }) {
  const [worktree, setWorktree] = useState(false)
  const { busy, error, run } = useDeed()
  const remove = () =>
    run(async () => {
      const { notice } = await op<{ notice?: unknown }>("mount_remove", { mount: mount.path, ...(worktree ? { worktree } : {}) })
      toast({ kind: "ok", text: typeof notice === "string" && notice ? notice : `${mount.path} is no longer mounted` })
      onDone()
    })
  return (
    <Dialog
      title={`Remove ${mount.path}?`}
      width="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose} autoFocus>Cancel</Button>
          <Button variant="danger" busy={busy} onClick={() => void remove()}>Remove</Button>
        </>
      }
    >
      <div className={styles.form}>
        <p>{mount.kind === "memory" ? "What is in it is lost." : "What waits is written first. The folder or repository stays as it is, and so does the context with its blocks: the same mount again goes on with them."}</p>
        {mount.kind === "git" && <Check label="Take its worktree off the disk too" hint="Refused while something in it is not committed." checked={worktree} onChange={e => setWorktree(e.target.checked)} />}
        {error && <p className={styles.error} role="alert">{wordsOf(error)}</p>}
      </div>
    </Dialog>
  )
}
