import { Search as SearchIcon } from "lucide-react"
import { useMemo, useRef, type KeyboardEvent, type ReactNode } from "react"
import { placeOf } from "../core/directory"
import { Kbd, Spinner } from "../parts"
import { best, pieces } from "./match"
import { nameOf, type ContextRow } from "./rows"
import styles from "./Search.module.css"
import { useTextSearch, type Hit } from "./textsearch"

const maxTitles = 20
const maxHits = 60

interface BoxProps {
  query: string
  onQuery(query: string): void
}

/** The id of the search field, for the key "/". */
export const searchId = "search"

/** The field itself. Down leads to what is found, Esc empties it. */
export function SearchBox({ query, onQuery }: BoxProps) {
  const keys = (e: KeyboardEvent<HTMLInputElement>) => {
    const found = document.querySelectorAll<HTMLElement>("[data-found]")
    if (e.key === "Escape") {
      if (query === "") e.currentTarget.blur()
      onQuery("")
      e.stopPropagation()
    } else if (e.key === "ArrowDown" && found.length > 0) {
      e.preventDefault()
      found[0]!.focus()
    } else if (e.key === "Enter" && found.length > 0) {
      e.preventDefault()
      found[0]!.click()
    }
  }
  return (
    <div className={styles.box} role="search">
      <SearchIcon aria-hidden />
      <input id={searchId} type="search" aria-label="Search titles and texts" placeholder="Search" autoComplete="off" spellCheck={false} maxLength={200} value={query} onChange={e => onQuery(e.target.value)} onKeyDown={keys} />
      {query === "" && <Kbd keys="/" />}
    </div>
  )
}

/** What is found: titles and labels at once, texts as the server answers. */
export function SearchResults({ query, rows }: { query: string; rows: readonly ContextRow[] }) {
  const list = useRef<HTMLDivElement>(null)
  const titles = useMemo(() => best(rows, query.trim(), r => [nameOf(r), r.label], maxTitles), [rows, query])
  const { hits, busy, more, error } = useTextSearch(query, maxHits)
  const byContext = useMemo(() => groups(hits), [hits])
  const names = useMemo(() => new Map(rows.map(r => [r.id, nameOf(r)])), [rows])
  const keys = (e: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (!step) return
    const all = [...(list.current?.querySelectorAll<HTMLElement>("[data-found]") ?? [])]
    const to = all.indexOf(document.activeElement as HTMLElement) + step
    e.preventDefault()
    ;(to < 0 ? document.getElementById(searchId) : all[to])?.focus()
  }
  const nothing = titles.length === 0 && hits.length === 0
  return (
    <div className={styles.results} ref={list} onKeyDown={keys}>
      <p className="sr-only" role="status">
        {busy ? "" : `${titles.length} contexts and ${hits.length} lines found`}
      </p>
      {titles.length > 0 && <h3>Contexts</h3>}
      {titles.map(row => (
        <Result key={row.id} href={"#" + row.url}>
          <span className={styles.title}>
            <Marked text={nameOf(row)} query={query} />
          </span>
          {row.label && (
            <span className={styles.label}>
              <Marked text={row.label} query={query} />
            </span>
          )}
        </Result>
      ))}
      {(hits.length > 0 || busy) && <h3>In texts {busy && <Spinner />}</h3>}
      {byContext.map(([context, inside]) => (
        <section key={context} aria-label={names.get(context) ?? "Untitled"}>
          <h4>{names.get(context) ?? "Untitled"}</h4>
          {inside.map(hit => (
            <Result key={`${hit.block} ${hit.line}`} href={placeOf(hit.context, hit.block)}>
              <span className={styles.text}>
                <Marked text={around(hit.content, query.trim())} query={query} />
              </span>
            </Result>
          ))}
        </section>
      ))}
      {more && <p className={styles.note}>There is more. Type more of it.</p>}
      {error && <p className={styles.note}>Texts cannot be searched: {error}</p>}
      {nothing && !busy && !error && <p className={styles.note}>Nothing found.</p>}
    </div>
  )
}

const Result = ({ href, children }: { href: string; children: ReactNode }) => (
  <a href={href} className={styles.result} data-found>
    {children}
  </a>
)

/** A text with what was looked for in it marked. */
export const Marked = ({ text, query }: { text: string; query: string }) => pieces(text, query.trim()).map((p, n) => (p.hit ? <mark key={n} className={styles.hit}>{p.text}</mark> : p.text))

/** The part of a line in which the find is in sight. */
export function around(line: string, looked: string): string {
  const at = line.toLowerCase().indexOf(looked.toLowerCase())
  return at > 30 ? "…" + line.slice(at - 24) : line
}

function groups(hits: readonly Hit[]): [string, Hit[]][] {
  const by = new Map<string, Hit[]>()
  for (const hit of hits) by.set(hit.context, [...(by.get(hit.context) ?? []), hit])
  return [...by]
}
