import { useEffect, useMemo, useState } from "react"
import { placeOf } from "../core/directory"
import { useOp } from "../core/hooks"
import { op } from "../core/ops"
import { Check, Dialog, Field, toast } from "../parts"
import { entryFrom, matchesFrom, type Match, type Mount } from "./answers"
import { errorAt, errorElsewhere, wordsOf } from "./deeds"
import styles from "./Files.module.css"
import shared from "./git.module.css"
import { many } from "./words"

/** How long nothing is typed before it is searched, in milliseconds. */
const quietMillis = 300

/** Finds lines in the files of a mount. */
export function FileSearch({ mount, onClose }: { mount: Mount; onClose(): void }) {
  const [query, setQuery] = useState("")
  const [exact, setExact] = useState(false)
  const [asked, setAsked] = useState("")
  useEffect(() => {
    const timer = setTimeout(() => setAsked(query), quietMillis)
    return () => clearTimeout(timer)
  }, [query])
  const found = useOp<unknown>(asked.trim() ? "fs_search" : null, { query: asked, path: mount.path, ignore_case: !exact, max_matches: 300 })
  const { matches, truncated, skipped } = useMemo(() => matchesFrom(found.data), [found.data])
  const files = useMemo(() => Object.entries(grouped(matches)), [matches])
  const open = async (path: string) => {
    try {
      const file = entryFrom(await op<unknown>("fs_read", { path, lines: "1,1" }))
      if (!file.block) return void toast({ kind: "info", text: `${path} is a file, and no block` })
      location.hash = placeOf(file.context, file.block)
      onClose()
    } catch (err) {
      toast({ kind: "error", text: wordsOf(err) })
    }
  }
  return (
    <Dialog title={`Search in ${mount.path}`} width="l" top onClose={onClose}>
      <div className={shared.form}>
        <Field label="Lines with" hint="A regular expression, in the syntax of RE2." value={query} onChange={e => setQuery(e.target.value)} error={errorAt(found.error, "query")} autoFocus spellCheck={false} />
        <Check label="Upper and lower case differ" checked={exact} onChange={e => setExact(e.target.checked)} />
        {errorElsewhere(found.error, ["query"]) && <p className={shared.error} role="alert">{errorElsewhere(found.error, ["query"])}</p>}
        <div role="status" className={shared.faint}>
          {asked.trim() === "" ? "" : found.loading ? "Searching…" : found.data === undefined ? "" : `${many(matches.length, "line")} in ${many(files.length, "file")}${truncated ? ", and more" : ""}${skipped ? `; ${many(skipped, "file")} not searched: no text, or too large` : ""}`}
        </div>
        <ul className={styles.found}>
          {files.map(([path, lines]) => (
            <li key={path}>
              <button type="button" onClick={() => void open(path)}>
                <span className={shared.path}>{path.slice(mount.path.length + 1)}</span>
                {lines.slice(0, 5).map(m => (
                  <span key={m.line} className={styles.match}>
                    <span className={styles.number}>{m.line}</span>
                    <code>{m.text.slice(0, 300)}</code>
                  </span>
                ))}
                {lines.length > 5 && <span className={shared.faint}>and {many(lines.length - 5, "line")} more</span>}
              </button>
            </li>
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

function grouped(matches: readonly Match[]): Record<string, Match[]> {
  const all: Record<string, Match[]> = Object.create(null) as Record<string, Match[]>
  for (const m of matches) (all[m.path] ??= []).push(m)
  return all
}
