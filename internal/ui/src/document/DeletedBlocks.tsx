import { RotateCcw } from "lucide-react"
import { useRef, useSyncExternalStore, useState } from "react"
import { useAuthor } from "../core/hooks"
import { shortened } from "../core/meta"
import type { Block } from "../core/schema"
import { Button, Dialog } from "../parts"
import { useKeptFocus } from "../parts/useKeptFocus"
import { useDoc } from "./doc-context"
import { kindName } from "./kinds"
import { roots } from "./selection"
import css from "./dialogs.module.css"

/** How many are listed at once. */
const step = 100

/** What was deleted, the newest first, to be brought back. */
export function DeletedBlocks({ onClose }: { onClose(): void }) {
  const { model, act } = useDoc()
  const [limit, setLimit] = useState(step)
  const list = useRef<HTMLUListElement>(null)
  useKeptFocus(list, "li")
  useSyncExternalStore(
    fn => model.subscribe("rows", fn),
    () => model.rows,
  )
  const deleted = model.deleted().reverse()
  const ids = deleted.map(b => b.id)
  return (
    <Dialog title="Deleted blocks" onClose={onClose} footer={deleted.length > 1 && <Button onClick={() => act.restore(roots(ids, id => model.parentOf(id)))}>Restore all</Button>}>
      {deleted.length === 0 && <p className={css.note}>Nothing is deleted.</p>}
      <ul ref={list} className={css.list}>
        {deleted.slice(0, limit).map(block => (
          <Deleted key={block.id} block={block} />
        ))}
      </ul>
      {deleted.length > limit && (
        <Button variant="ghost" onClick={() => setLimit(limit + step)}>
          {deleted.length - limit} more
        </Button>
      )}
    </Dialog>
  )
}

function Deleted({ block }: { block: Block }) {
  const { model, act } = useDoc()
  const author = useAuthor(model, block.id)
  return (
    <li data-deleted={block.id}>
      <span className={css.quote}>
        <bdi>{shortened(block.content.slice(0, 400), 120) || `Empty ${kindName(block.kind)}`}</bdi>
        <small>
          {kindName(block.kind)} by {author.name}
        </small>
      </span>
      <Button size="s" icon={<RotateCcw />} onClick={() => act.restore([block.id])}>
        Restore
      </Button>
    </li>
  )
}
