import { ChevronLeft, Ellipsis, FileText, Settings, Trash2 } from "lucide-react"
import { useMemo, useState } from "react"
import { placeOf } from "../core/directory"
import { useOp } from "../core/hooks"
import { Badge, IconButton, Menu, Tabs } from "../parts"
import { statusFrom, type Mount } from "./answers"
import { BranchMenu } from "./BranchMenu"
import { Changes } from "./Changes"
import { FileTree } from "./FileTree"
import { Log } from "./Log"
import { MountSettings } from "./MountSettings"
import { RemoveMount } from "./RemoveMount"
import styles from "./git.module.css"
import { stateOf } from "./words"

/** How often it is asked what changed, in milliseconds: programs on the disk tell nobody. */
const everyMillis = 5000

interface Props {
  mount: Mount
  owner: boolean
  onBack(): void
  /** Something about the mount is another now. */
  onChange(): void
}

/** One mount: what changed in it, its files, its history. */
export function MountView({ mount, owner, onBack, onChange }: Props) {
  const git = mount.kind === "git"
  const here = mount.state !== "elsewhere" && mount.state !== "failed" && mount.state !== "opening"
  const status = useOp<unknown>(git && here ? "git_status" : null, { mount: mount.path }, { every: everyMillis, on: mount.context ? `ctx.${mount.context}.commit.made` : undefined })
  const now = useMemo(() => (status.data === undefined ? null : statusFrom(status.data)), [status.data])
  const [tab, setTab] = useState(git ? "changes" : "files")
  const [dialog, setDialog] = useState<"settings" | "remove" | null>(null)
  const { tone, word, why } = stateOf(mount)
  const changed = () => {
    status.reload()
    onChange()
  }
  const tabs = [
    ...(git ? [{ id: "changes", title: "Changes", count: now?.files.length, content: <Changes mount={mount} asked={status} status={now} onChange={changed} /> }] : []),
    { id: "files", title: "Files", content: <FileTree mount={mount} changed={now?.files} /> },
    ...(git ? [{ id: "log", title: "Log", content: <Log mount={mount} head={now?.head ?? mount.head} /> }] : []),
  ]
  return (
    <div className={styles.one}>
      <header className={styles.head}>
        <span className={styles.back}>
          <IconButton label="All mounts" icon={<ChevronLeft />} onClick={onBack} />
        </span>
        <h2 className={styles.path}>{mount.path}</h2>
        {git && here && <BranchMenu mount={mount} changes={now?.files.length ?? 0} onChange={changed} />}
        {tone !== "ok" && <Badge tone={tone} title={why}>{word}</Badge>}
        {!mount.rw && <Badge title="Nothing is written to it from here">read only</Badge>}
        <span className={styles.grow} />
        {mount.context && (
          <a className={styles.link} href={placeOf(mount.context)}>
            <FileText aria-hidden /> <span><span className={styles.wide}>Open its </span>context</span>
          </a>
        )}
        {owner && (
          <Menu
            label="Mount"
            trigger={<IconButton label="More" icon={<Ellipsis />} noTip />}
            items={[
              { label: "Settings…", icon: <Settings aria-hidden />, run: () => setDialog("settings") },
              "-",
              { label: "Remove…", icon: <Trash2 aria-hidden />, danger: true, run: () => setDialog("remove") },
            ]}
          />
        )}
      </header>
      {(why && tone !== "ok" && tone !== "plain") || mount.notice ? <p className={styles.note} data-tone={tone}>{tone === "ok" || tone === "plain" ? mount.notice : why}</p> : null}
      {here ? (
        <div className={styles.tabs}>
          <Tabs label={mount.path} tabs={tabs} value={tab} onChange={setTab} />
        </div>
      ) : (
        <p className={styles.note}>{why}</p>
      )}
      {dialog === "settings" && (
        <MountSettings
          mount={mount}
          onClose={() => setDialog(null)}
          onDone={() => {
            setDialog(null)
            onChange()
          }}
        />
      )}
      {dialog === "remove" && (
        <RemoveMount
          mount={mount}
          onClose={() => setDialog(null)}
          onDone={() => {
            setDialog(null)
            onChange()
            onBack()
          }}
        />
      )}
    </div>
  )
}
