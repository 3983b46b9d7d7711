import { ChevronRight, File, FileCode, Folder, FolderSymlink, Link2, Package, Search } from "lucide-react"
import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { placeOf } from "../core/directory"
import { op } from "../core/ops"
import { own } from "../core/own"
import { Badge, Button, Dialog, Empty, Spinner, toast } from "../parts"
import { entriesFrom, entryFrom, type Changed, type Entry, type Mount } from "./answers"
import { wordsOf } from "./deeds"
import { FileSearch } from "./FileSearch"
import styles from "./Files.module.css"
import shared from "./git.module.css"
import { flatten, type Folder as Listing, type TreeRow } from "./tree"
import { changeOf, sizeText, whyNoBlock } from "./words"

/** How many rows show at first, and how many more each time. */
const portion = 400

/** The files of a mount, read as they are unfolded. */
export function FileTree({ mount, changed }: { mount: Mount; changed?: readonly Changed[] | undefined }) {
  const [folders, setFolders] = useState<ReadonlyMap<string, Listing>>(new Map())
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set([mount.path]))
  const [filter, setFilter] = useState("")
  const [most, setMost] = useState(portion)
  const [searching, setSearching] = useState(false)
  const [shown, setShown] = useState<Entry | null>(null)
  const alive = useRef(true)
  useEffect(() => () => void (alive.current = false), [])

  const read = useCallback(async (path: string, cursor = "") => {
    const put = (change: (now: Listing) => Listing) => alive.current && setFolders(all => new Map(all).set(path, change(all.get(path) ?? { entries: [], next: "", loading: false, error: "" })))
    put(now => ({ ...now, loading: true, error: "" }))
    try {
      const { entries, next } = entriesFrom(await op<unknown>("fs_list", { path, limit: 1000, ...(cursor ? { cursor } : {}) }))
      put(now => ({ entries: cursor ? [...now.entries, ...entries] : entries, next, loading: false, error: "" }))
    } catch (err) {
      put(now => ({ ...now, loading: false, error: wordsOf(err) }))
    }
  }, [])
  useEffect(() => {
    alive.current = true
    void read(mount.path)
  }, [mount.path, mount.head, read])

  const toggle = (path: string) => {
    setOpen(now => {
      const next = new Set(now)
      if (!next.delete(path)) next.add(path)
      return next
    })
    if (!folders.has(path)) void read(path)
  }
  const show = async (entry: Entry) => {
    const why = whyNoBlock(entry)
    if (why || entry.kind !== "file") return setShown(entry)
    try {
      const file = entry.block ? entry : entryFrom(await op<unknown>("fs_read", { path: entry.path, lines: "1,1" }))
      if (file.block && file.context) location.hash = placeOf(file.context, file.block)
      else setShown({ ...entry, binary: file.binary || mount.kind === "git" })
    } catch (err) {
      toast({ kind: "error", text: wordsOf(err) })
    }
  }

  const changes = useMemo(() => new Map(changed?.map(f => [`${mount.path}/${f.path}`, f])), [changed, mount.path])
  const rows = useMemo(() => flatten(mount.path, folders, open, filter), [mount.path, folders, open, filter])
  const root = folders.get(mount.path)
  return (
    <div className={styles.files}>
      <div className={styles.bar}>
        <label className={styles.filter}>
          <Search aria-hidden />
          <input type="search" value={filter} placeholder="Filter by name" aria-label="Filter files by name" onChange={e => setFilter(e.target.value)} />
        </label>
        <Button icon={<Search aria-hidden />} onClick={() => setSearching(true)}>Search in files</Button>
      </div>
      {root?.error ? (
        <Empty title="Cannot read the files" action={<Button onClick={() => void read(mount.path)}>Try again</Button>}>{root.error}</Empty>
      ) : !root || (root.loading && root.entries.length === 0) ? (
        <div className={shared.waiting}><Spinner label="Reading the files" large /></div>
      ) : rows.length === 0 ? (
        <Empty title={filter ? "No such file" : "Nothing is here"}>{filter ? "Only folders that were opened are looked through. Search in files looks everywhere." : undefined}</Empty>
      ) : (
        <Tree rows={rows.slice(0, most)} changes={changes} onFold={toggle} onShow={e => void show(e)} onMore={(path, cursor) => void read(path, cursor)} label={mount.path} />
      )}
      {rows.length > most && <button type="button" className={shared.more} onClick={() => setMost(most + portion)}>Show more: {(rows.length - most).toLocaleString("en")} left</button>}
      {searching && <FileSearch mount={mount} onClose={() => setSearching(false)} />}
      {shown && <NoBlock entry={shown} mount={mount} onClose={() => setShown(null)} />}
    </div>
  )
}

interface TreeProps {
  rows: readonly TreeRow[]
  changes: ReadonlyMap<string, Changed>
  label: string
  onFold(path: string): void
  onShow(entry: Entry): void
  onMore(path: string, cursor: string): void
}

/** Rows that arrows go through: right unfolds, left folds, Enter opens. */
function Tree({ rows, changes, label, onFold, onShow, onMore }: TreeProps) {
  const [at, setAt] = useState(0)
  const ref = useRef<HTMLUListElement>(null)
  const step = (n: number) => {
    const to = Math.min(Math.max(n, 0), rows.length - 1)
    setAt(to)
    ref.current?.querySelectorAll<HTMLElement>("[role=treeitem]")[to]?.focus()
  }
  const current = Math.min(at, rows.length - 1)
  const onKey = (e: React.KeyboardEvent, row: TreeRow, n: number) => {
    if (e.altKey || e.ctrlKey || e.metaKey) return
    const folder = row.kind === "entry" && row.entry.kind === "dir"
    if (e.key === "ArrowDown") step(n + 1)
    else if (e.key === "ArrowUp") step(n - 1)
    else if (e.key === "Home") step(0)
    else if (e.key === "End") step(rows.length - 1)
    else if (e.key === "ArrowRight" && folder && !row.open) onFold(row.entry.path)
    else if (e.key === "ArrowLeft" && folder && row.open) onFold(row.entry.path)
    else if (e.key === "ArrowLeft") step(rows.findLastIndex((r, i) => i < n && r.depth < row.depth))
    else if (e.key === "Enter" || e.key === " ") act(row)
    else return
    e.preventDefault()
  }
  const act = (row: TreeRow) => {
    if (row.kind === "more") onMore(row.path, row.next)
    else if (row.kind === "entry") row.entry.kind === "dir" ? onFold(row.entry.path) : onShow(row.entry)
  }
  return (
    <ul className={styles.tree} role="tree" aria-label={`Files of ${label}`} ref={ref}>
      {rows.map((row, n) => (
        <li
          key={row.kind === "entry" ? row.entry.path : `${row.path}#${row.kind}`}
          role="treeitem"
          aria-level={row.depth + 1}
          aria-expanded={row.kind === "entry" && row.entry.kind === "dir" ? row.open : undefined}
          tabIndex={n === current ? 0 : -1}
          style={{ "--depth": row.depth } as React.CSSProperties}
          onClick={() => {
            setAt(n)
            act(row)
          }}
          onFocus={() => setAt(n)}
          onKeyDown={e => onKey(e, row, n)}
        >
          {row.kind === "entry" ? <EntryRow row={row} change={changes.get(row.entry.path)} /> : <span className={shared.faint}>{row.kind === "more" ? "Show more of this folder" : row.text}</span>}
        </li>
      ))}
    </ul>
  )
}

const icons: Record<string, typeof File> = { dir: Folder, symlink: Link2, submodule: Package }

function EntryRow({ row, change }: { row: Extract<TreeRow, { kind: "entry" }>; change: Changed | undefined }) {
  const { entry, open, loading } = row
  const Icon = entry.kind === "symlink" && !entry.target ? FolderSymlink : (own(icons, entry.kind) ?? (entry.block ? FileCode : File))
  const mark = change && changeOf(change)
  const why = whyNoBlock(entry)
  return (
    <>
      {entry.kind === "dir" ? <ChevronRight className={styles.chevron} data-open={open} aria-hidden /> : <span className={styles.noChevron} />}
      <Icon className={styles.icon} data-block={entry.block !== ""} aria-hidden />
      <span className={styles.name}>{entry.name}</span>
      {entry.target && <span className={shared.faint}>→ {entry.target}</span>}
      {loading && <Spinner />}
      {mark && <Badge tone={mark.tone}>{mark.word}</Badge>}
      {entry.kind === "file" && why && <Badge>{why}</Badge>}
      {entry.kind === "file" && <span className={styles.size}>{sizeText(entry.size)}</span>}
    </>
  )
}

/** Says of a file that is no block what it is. */
function NoBlock({ entry, mount, onClose }: { entry: Entry; mount: Mount; onClose(): void }) {
  const why = whyNoBlock(entry)
  const text =
    entry.kind === "symlink"
      ? `A link to ${entry.target || "something else"}. It is not followed here.`
      : why === "no text"
        ? "It is no text, so it stays a file: it is read and written where it is."
        : why
          ? `It stays a file: ${why}.`
          : mount.kind === "git"
            ? "It stays a file: it is no UTF-8 text, too large, or changed by a filter on its way into git."
            : "Files of folders and of memory are no blocks: they are read and written where they are."
  return (
    <Dialog title={entry.name} width="s" onClose={onClose} footer={<Button onClick={onClose}>Close</Button>}>
      <div className={shared.form}>
        <p>{text}</p>
        <p className={shared.faint}>{entry.path}{entry.kind === "file" && ` · ${sizeText(entry.size)}`}{entry.executable && " · can be run"}</p>
      </div>
    </Dialog>
  )
}
