// Mounts, and what is changed, written and committed in them.

import { FolderGit2, FolderTree, Plus, UserPen } from "lucide-react"
import { useMemo, useState } from "react"
import { useMe, useOp } from "../core/hooks"
import { go, useRoute } from "../core/route"
import { Button, Empty, IconButton } from "../parts"
import { mountsFrom, type Mount } from "./answers"
import { IdentityDialog } from "./IdentityDialog"
import { MountDialog } from "./MountDialog"
import { MountList } from "./MountList"
import { MountView } from "./MountView"
import { State } from "./State"
import styles from "./git.module.css"

/** How often mounts are asked for anew, in milliseconds, for what no event tells. */
const everyMillis = 5000

export default function GitView() {
  const route = useRoute()
  const list = useOp<unknown>("mount_list", {}, { every: everyMillis, on: "ctx.*.commit.made" })
  const mounts = useMemo(() => (list.data === undefined ? [] : mountsFrom(list.data)), [list.data])
  const [dialog, setDialog] = useState<"mount" | "identity" | null>(null)
  const owner = useMe()?.role === "owner"
  const wanted = route.view === "git" && route.mount ? "/" + route.mount.replace(/^\/+/, "") : ""
  const open: Mount | undefined = wanted ? mounts.find(m => m.path === wanted) : (mounts.find(m => m.kind === "git") ?? mounts[0])
  return (
    <section className={styles.view} aria-label="Git" data-open={wanted !== ""}>
      <div className={styles.mounts}>
        <header className={styles.head}>
          <h1>Files and git</h1>
          <span className={styles.grow} />
          <IconButton label="Your name in commits" icon={<UserPen />} onClick={() => setDialog("identity")} />
          {owner && <IconButton label="Mount a folder or repository" icon={<Plus />} onClick={() => setDialog("mount")} />}
        </header>
        <State of={list} what="the mounts">
          {mounts.length === 0 ? (
            <Empty icon={<FolderTree aria-hidden />} title="Nothing is mounted" action={owner && <Button variant="primary" onClick={() => setDialog("mount")}>Mount a repository</Button>}>
              A repository that is mounted becomes a context: its text files are blocks that everybody can edit.
            </Empty>
          ) : (
            <MountList mounts={mounts} open={open?.path ?? ""} onOpen={path => go({ view: "git", mount: path.slice(1) })} />
          )}
        </State>
      </div>
      <div className={styles.stage}>
        {open ? (
          <MountView key={open.path} mount={open} onBack={() => go({ view: "git" })} onChange={list.reload} owner={owner} />
        ) : (
          wanted && list.data !== undefined && <Empty icon={<FolderGit2 aria-hidden />} title="No such mount">{`Nothing is mounted at ${wanted}, or it is not for you.`}</Empty>
        )}
      </div>
      {dialog === "mount" && (
        <MountDialog
          onClose={() => setDialog(null)}
          onDone={m => {
            setDialog(null)
            list.reload()
            go({ view: "git", mount: m.path.slice(1) })
          }}
        />
      )}
      {dialog === "identity" && <IdentityDialog onClose={() => setDialog(null)} />}
    </section>
  )
}
