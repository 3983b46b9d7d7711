import { Command as Cmdk } from "cmdk"
import { CornerDownLeft, FileText, Search } from "lucide-react"
import { useEffect, useMemo, useState } from "react"
import { allCommands, watchCommands, type Command } from "../core/commands"
import { placeOf } from "../core/directory"
import { Dialog, Kbd, Spinner } from "../parts"
import { useContextList } from "./contextlist"
import { closeDialog } from "./opened"
import { best, fit } from "./match"
import styles from "./Palette.module.css"
import { noteRecent, recent } from "./recent"
import { nameOf, type ContextRow } from "./rows"
import { around, Marked } from "./Search"
import { useTextSearch } from "./textsearch"

const maxContexts = 8
const maxCommands = 30
const maxHits = 12
const maxRecent = 6
/** The groups that are always there, in their order. */
const always = ["Make", "Go to", "Page"]

/** Everything by name: contexts, what can be done, and texts. */
export function Palette() {
  const { rows } = useContextList()
  const [query, setQuery] = useState("")
  const [commands, setCommands] = useState(offered)
  useEffect(() => {
    const read = () => setCommands(offered())
    read()
    return watchCommands(read)
  }, []) // a context that is still being opened brings its own
  const looked = query.trim()
  const found = useTextSearch(query, maxHits)
  const live = useMemo(() => rows.filter(r => !r.archived), [rows])
  const last = useMemo(() => recently(live, commands), [live, commands])
  const contexts = useMemo(() => (looked === "" ? [...live].reverse().slice(0, maxContexts) : best(live, looked, r => [nameOf(r), r.label], maxContexts)), [live, looked])
  const doable = useMemo(() => (looked === "" ? commands : best(commands, looked, c => [c.title, `${c.group} ${c.title}`], maxCommands)), [commands, looked])
  const names = useMemo(() => new Map(rows.map(r => [r.id, nameOf(r)])), [rows])
  const then = (what: () => void) => {
    closeDialog()
    queueMicrotask(what) // when the dialog has given the focus back
  }
  const context = (row: ContextRow, list: string) => (
    <Cmdk.Item key={list + row.id} value={list + row.id} className={styles.item} onSelect={() => then(() => (location.hash = row.url))}>
      <FileText aria-hidden />
      <span className={styles.title}>
        <Marked text={nameOf(row)} query={query} />
      </span>
      {row.label && <span className={styles.label}>{row.label}</span>}
    </Cmdk.Item>
  )
  const command = (c: Command, list: string) => (
    <Cmdk.Item
      key={list + c.id}
      value={list + c.id}
      className={styles.item}
      onSelect={() => {
        noteRecent(c.id)
        then(c.run)
      }}
    >
      <CornerDownLeft aria-hidden />
      <span className={styles.title}>
        <Marked text={c.title} query={query} />
      </span>
      {c.hint && <span className={styles.hint}>{c.hint}</span>}
      {c.keys && <Kbd keys={c.keys} />}
    </Cmdk.Item>
  )
  const contextGroup = contexts.length > 0 && (
    <Cmdk.Group heading="Contexts">{contexts.filter(r => looked !== "" || !last.includes(r)).map(r => context(r, ""))}</Cmdk.Group>
  )
  const commandGroups = grouped(doable).map(([group, inside]) => (
    <Cmdk.Group key={group} heading={group}>
      {inside.map(c => command(c, ""))}
    </Cmdk.Group>
  ))
  const doableFirst = doable.length > 0 && fit(doable[0]!.title, looked) > Math.max(0, ...contexts.slice(0, 1).flatMap(r => [fit(nameOf(r), looked), fit(r.label, looked)]))
  return (
    <Dialog bare top title="Command palette" width="m" onClose={closeDialog}>
      <Cmdk className={styles.palette} label="Command palette" shouldFilter={false} loop>
        <div className={styles.field}>
          <Search aria-hidden />
          <Cmdk.Input value={query} onValueChange={setQuery} placeholder="Go to a context, or do something" autoFocus maxLength={200} />
          {found.busy && <Spinner />}
        </div>
        <Cmdk.List className={styles.list} label="Found">
          {!found.busy && <Cmdk.Empty className={styles.empty}>Nothing found.</Cmdk.Empty>}
          {looked === "" && last.length > 0 && (
            <Cmdk.Group heading="Recent">{last.map(r => ("run" in r ? command(r, "recent ") : context(r, "recent ")))}</Cmdk.Group>
          )}
          {looked !== "" && doableFirst ? (
            <>
              {commandGroups}
              {contextGroup}
            </>
          ) : (
            <>
              {contextGroup}
              {commandGroups}
            </>
          )}
          {found.hits.length > 0 && (
            <Cmdk.Group heading="In texts">
              {found.hits.map(hit => {
                const value = `${hit.context} ${hit.block} ${hit.line}`
                return (
                  <Cmdk.Item key={value} value={value} className={styles.item} onSelect={() => then(() => (location.hash = placeOf(hit.context, hit.block)))}>
                    <Search aria-hidden />
                    <span className={styles.title}>
                      <Marked text={around(hit.content, looked)} query={query} />
                    </span>
                    <span className={styles.hint}>{names.get(hit.context) ?? ""}</span>
                  </Cmdk.Item>
                )
              })}
            </Cmdk.Group>
          )}
        </Cmdk.List>
      </Cmdk>
    </Dialog>
  )
}

const offered = () => allCommands().filter(c => c.id !== "palette")

function recently(rows: readonly ContextRow[], commands: readonly Command[]): (ContextRow | Command)[] {
  const byName = new Map<string, ContextRow | Command>([...rows.map(r => [r.url, r] as const), ...commands.map(c => [c.id, c] as const)])
  return recent()
    .flatMap(name => byName.get(name) ?? [])
    .slice(0, maxRecent)
}

function grouped(commands: readonly Command[]): [string, Command[]][] {
  const by = new Map<string, Command[]>()
  for (const c of commands) by.set(c.group, [...(by.get(c.group) ?? []), c])
  // What is about what is shown comes before what is always there.
  return [...by].sort(([a], [b]) => always.indexOf(a) - always.indexOf(b))
}
