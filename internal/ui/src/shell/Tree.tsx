import { ChevronRight, Ellipsis } from "lucide-react"
import { memo, useMemo, useState } from "react"
import { Button, ContextMenu, Count, cx, IconButton, Menu } from "../parts"
import { folds, useFolds } from "./folds"
import { itemsOf } from "./menu"
import { ancestors, documentOf, nameOf, treeOf, type ContextRow, type TreeNode } from "./rows"
import styles from "./Sidebar.module.css"

/** How many of one level are shown at first, and how many more each time. */
const pageRows = 200

interface TreeProps {
  rows: readonly ContextRow[]
  /** The address of the one that is shown. */
  current: string
  unread(id: string): number
  /** The documents that are in this browser, when only these can be opened; else null. */
  held: ReadonlySet<string> | null
}

/** The contexts, forks below what they were forked from. */
export function Tree({ rows, current, unread, held }: TreeProps) {
  const tops = useMemo(() => treeOf(rows), [rows])
  const folded = useFolds()
  const above = useMemo(() => {
    const at = rows.find(r => r.url === current)
    return new Set(at ? ancestors(rows, at.id) : [])
  }, [rows, current])
  return <Level nodes={tops} shared={{ current, unread, held, folded, above }} />
}

interface Shared {
  current: string
  unread(id: string): number
  held: ReadonlySet<string> | null
  folded: ReadonlySet<string>
  above: ReadonlySet<string>
}

function Level({ nodes, shared }: { nodes: readonly TreeNode[]; shared: Shared }) {
  const [max, setMax] = useState(pageRows)
  return (
    <ul className={styles.tree}>
      {nodes.slice(0, max).map(node => {
        // What leads to the context that is shown is never folded away.
        const open = !shared.folded.has(node.row.id) || shared.above.has(node.row.id)
        return (
          <li key={node.row.id}>
            <Line
              row={node.row}
              forks={node.forks.length}
              open={open}
              shown={node.row.url === shared.current}
              unread={shared.unread(node.row.id) + (open ? 0 : below(node, shared.unread))}
              away={shared.held !== null && !shared.held.has(documentOf(node.row.url))}
            />
            {open && node.forks.length > 0 && <Level nodes={node.forks} shared={shared} />}
          </li>
        )
      })}
      {nodes.length > max && (
        <li>
          <Button variant="ghost" size="s" onClick={() => setMax(max + 5 * pageRows)}>
            {nodes.length - max} more
          </Button>
        </li>
      )}
    </ul>
  )
}

const below = (node: TreeNode, unread: (id: string) => number): number => node.forks.reduce((sum, f) => sum + unread(f.row.id) + below(f, unread), 0)

interface LineProps {
  row: ContextRow
  forks: number
  open: boolean
  shown: boolean
  unread: number
  away: boolean
}

const Line = memo(function Line({ row, forks, open, shown, unread, away }: LineProps) {
  const name = nameOf(row)
  const items = () => itemsOf(row, shown)
  const [menu, setMenu] = useState(false)
  return (
    <ContextMenu items={items()} label={`Menu of ${name}`}>
      <div className={cx(styles.line, shown && styles.shown, row.archived && styles.archived, away && styles.away)}>
        {forks > 0 ? (
          <button type="button" className={styles.fold} aria-expanded={open} aria-label={`Forks of ${name}`} onClick={() => folds.set(row.id, open)}>
            <ChevronRight aria-hidden />
          </button>
        ) : (
          <span className={styles.nofold} />
        )}
        <a href={"#" + row.url} aria-current={shown ? "page" : undefined} data-context={row.id} title={away ? "Not in this browser" : undefined}>
          <span className={styles.name}>{name}</span>
          {row.label && <span className={styles.label}>{row.label}</span>}
          <Count n={unread} of="unread" tone="accent" unread />
        </a>
        <Menu items={menu ? items() : []} open={menu} onOpenChange={setMenu} label={`Menu of ${name}`} trigger={<IconButton label={`Menu of ${name}`} size="s" icon={<Ellipsis />} noTip className={styles.more} />} />
      </div>
    </ContextMenu>
  )
})
