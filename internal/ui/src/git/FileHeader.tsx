import { FileCode, GitBranch, Users } from "lucide-react"
import { useMemo } from "react"
import { useOp } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { format } from "../core/route"
import type { Block } from "../core/schema"
import { Badge, IconButton } from "../parts"
import { mountsFrom, statusFrom } from "./answers"
import { blameSwitch } from "./blame"
import styles from "./FileHeader.module.css"
import { filePlace } from "./files"
import { useBlameOn } from "./useFileBlame"
import { changeOf, dirName, baseName, stateOf } from "./words"

/** How often it is asked how the file fares, in milliseconds. */
const everyMillis = 10_000

/** What stands above a file's text: its path, its mount, and how it fares. */
export function FileHeader({ model, block }: { model: ContextModel; block: Block }) {
  const place = useMemo(() => filePlace(block), [block.kind, block.meta])
  const mounts = useOp<unknown>(place.mount ? "mount_list" : null, {}, { every: everyMillis })
  const mount = useMemo(() => mountsFrom(mounts.data).find(m => m.path === place.mount), [mounts.data, place.mount])
  const git = mount?.kind === "git" && mount.state !== "elsewhere"
  // The file alone: a mount below which a path is named answers for that path.
  const status = useOp<unknown>(git && mount?.context === model.id ? "git_status" : null, { mount: place.full }, { every: everyMillis, on: `ctx.${model.id}.commit.made` })
  const changed = useMemo(() => statusFrom(status.data).files.find(f => f.path === place.path), [status.data, place.path])
  const blame = useBlameOn(place.full || null)
  if (!place.path) return null
  const other = mount && mount.context !== "" && mount.context !== model.id
  return (
    <header className={styles.header}>
      <FileCode aria-hidden />
      <span className={styles.path} title={place.full || place.path}>
        <span className={styles.dir}>{dirName(place.path)}</span>
        {baseName(place.path)}
      </span>
      {mount ? (
        <a className={styles.mount} href={format({ view: "git", mount: mount.path.slice(1) })} title={stateOf(mount).why}>
          <GitBranch aria-hidden />
          {mount.path}
          {mount.branch && <span> · {mount.branch}</span>}
        </a>
      ) : (
        mounts.data !== undefined && <Badge title="What is written here stays here until it is mounted again">not mounted</Badge>
      )}
      {other && <Badge title={`The mount is on ${mount.branch || "another commit"} now: this is another branch's text and is not written to the disk`}>another branch</Badge>}
      {mount && !other && mount.state === "paused" && <Badge tone="warn" title={mount.reason}>paused</Badge>}
      {changed && <Badge tone={changeOf(changed).tone} title={changeOf(changed).more}>{changeOf(changed).word}</Badge>}
      <span className={styles.grow} />
      {git && !other && <IconButton label="Who wrote each line" icon={<Users />} size="s" pressed={blame} onClick={() => blameSwitch.set(place.full, !blame)} />}
    </header>
  )
}
