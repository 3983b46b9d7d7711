import { Copy, FileText, Plus } from "lucide-react"
import { useLink } from "../core/hooks"
import { Button, IconButton, Kbd, Spinner } from "../parts"
import { copyText } from "./actions"
import { useContextList } from "./contextlist"
import { openDialog } from "./opened"
import { Logo } from "./Logo"
import { Page } from "./Page"
import styles from "./Pages.module.css"
import { recent } from "./recent"
import { nameOf, type ContextRow } from "./rows"

const maxShown = 8
const terminal = ['kj ctx new "My first context"', 'kj block append "My first context" "Hello"']

/** The page without an address: where to go on, or how to begin. */
export function Home() {
  const { rows, fresh } = useContextList()
  const link = useLink()
  const live = rows.filter(r => !r.archived)
  if (live.length > 0) return <GoOn rows={live} />
  if (!fresh && link.connected) return <Page title="Kaijutsu"><Spinner label="Loading" /></Page>
  return <Welcome />
}

function GoOn({ rows }: { rows: readonly ContextRow[] }) {
  const byUrl = new Map(rows.map(r => [r.url, r]))
  const last = recent().flatMap(url => byUrl.get(url) ?? [])
  const shown = [...new Set([...last, ...[...rows].reverse()])].slice(0, maxShown)
  return (
    <Page
      title="Where were we?"
      mark={<Logo size={32} />}
      actions={
        <Button variant="primary" icon={<Plus />} onClick={() => openDialog({ dialog: "create" })}>
          New context
        </Button>
      }
    >
      <ul className={styles.recent}>
        {shown.map(row => (
          <li key={row.id}>
            <a href={"#" + row.url}>
              <FileText aria-hidden />
              <span>{nameOf(row)}</span>
              <small>
                {row.blocks} block{row.blocks === 1 ? "" : "s"}
              </small>
            </a>
          </li>
        ))}
      </ul>
      <p className={styles.muted}>
        <Kbd keys="Mod+K" /> goes anywhere and does anything; <Kbd keys="?" /> shows the keys.
      </p>
    </Page>
  )
}

function Welcome() {
  return (
    <Page
      title="Where people and agents write together"
      mark={<Logo size={32} />}
      actions={
        <Button variant="primary" icon={<Plus />} onClick={() => openDialog({ dialog: "create" })}>
          Make a context
        </Button>
      }
    >
      <p>A context is a document of blocks. Everyone who opens it sees it change as it is written, and what the server has said is saved is on its disk.</p>
      <p>Make one here, or in a terminal:</p>
      <ul className={styles.commands}>
        {terminal.map(line => (
          <li key={line}>
            <code>{line}</code>
            <IconButton label="Copy this command" icon={<Copy />} onClick={() => void copyText(line, "Copied.")} />
          </li>
        ))}
      </ul>
      <p className={styles.muted}>
        Any automerge-repo client may join at <code>{`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/sync`}</code>
      </p>
    </Page>
  )
}
