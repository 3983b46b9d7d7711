// The blocks of a context as they were, to be read. Only those in sight are
// drawn; what changed at the step is marked and brought into sight.

import { useVirtualizer } from "@tanstack/react-virtual"
import { ListTree, RotateCcw } from "lucide-react"
import { memo, useEffect, useRef } from "react"
import { colourOf } from "../core/actors"
import { useNamed } from "../core/hooks"
import { RenderedBlock } from "../document/RenderedBlock"
import { Avatar, Empty, IconButton } from "../parts"
import type { PastBlock, State } from "./past"
import styles from "./PastBlocks.module.css"
import { nameOf } from "./words"

export interface PastBlocksProps {
  state: State
  /** What is marked: made or changed at this step. */
  made: ReadonlySet<string>
  changed: ReadonlySet<string>
  /** Absent: nothing can be brought back. */
  onRestore?(block: PastBlock): void
  onStates(block: PastBlock): void
}

/** A guess of the height of a block that was not drawn yet. */
const guess = ({ block }: PastBlock) => 44 + 22 * Math.min(40, Math.ceil(block.content.length / 90) + block.content.split("\n", 40).length - 1)

export function PastBlocks({ state, made, changed, onRestore, onStates }: PastBlocksProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const { blocks } = state
  const rows = useVirtualizer({
    count: blocks.length,
    getScrollElement: () => scroller.current,
    estimateSize: i => guess(blocks[i]!),
    getItemKey: i => blocks[i]!.block.id,
    overscan: 6,
    useFlushSync: false,
  })
  // What changed is brought into sight, unless some of it is there already or the keyboard is among the blocks.
  useEffect(() => {
    const touched = blocks.findIndex(b => made.has(b.block.id) || changed.has(b.block.id))
    if (touched < 0) return
    const box = scroller.current
    const seen = rows.getVirtualItems().some(item => {
      const id = blocks[item.index]?.block.id ?? ""
      return box && (made.has(id) || changed.has(id)) && item.start < box.scrollTop + box.clientHeight - 40 && item.end > box.scrollTop + 40
    })
    if (!seen && !box?.contains(document.activeElement)) rows.scrollToIndex(touched, { align: "center" })
  }, [state, made, changed])
  if (blocks.length === 0) return <Empty title="No blocks yet">The context was empty at this point.</Empty>
  return (
    <div
      ref={scroller}
      className={styles.scroller}
      tabIndex={0}
      role="region"
      aria-label="Blocks as they were"
      onFocus={e => {
        const at = e.target // rows are measured when they come: what has the keyboard may have moved by then
        if (at !== scroller.current) requestAnimationFrame(() => at.isConnected && at.scrollIntoView({ block: "nearest" }))
      }}
    >
      <div className={styles.sheet} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(item => {
          const past = blocks[item.index]!
          const { id } = past.block
          return (
            <div key={item.key} ref={rows.measureElement} data-index={item.index} className={styles.place} style={{ transform: `translateY(${item.start}px)` }}>
              <PastRow past={past} how={made.has(id) ? "made" : changed.has(id) ? "changed" : ""} onRestore={onRestore} onStates={onStates} />
            </div>
          )
        })}
      </div>
    </div>
  )
}

interface PastRowProps extends Pick<PastBlocksProps, "onRestore" | "onStates"> {
  past: PastBlock
  how: "made" | "changed" | ""
}

const PastRow = memo(function PastRow({ past, how, onRestore, onStates }: PastRowProps) {
  const { block, depth, author } = past
  const { kind, name } = useNamed(author)
  return (
    <article
      className={styles.row}
      data-block={block.id}
      data-kind={block.kind}
      data-role={block.role}
      data-how={how || undefined}
      style={{ marginLeft: Math.min(depth, 8) * 16 }}
      aria-label={`${nameOf(name)}${how && `, ${how} here`}`}
    >
      <header className={styles.header}>
        <Avatar name={author} kind={kind} hue={colourOf(author)} size={18} label="" />
        <span>{nameOf(name)}</span>
        {block.role !== "user" && <span className={styles.role}>{block.role}</span>}
        {how && <span className={styles.how}>{how}</span>}
        <span className={styles.tools}>
          {onRestore && <IconButton label="Bring back this text" icon={<RotateCcw />} size="s" onClick={() => onRestore(past)} />}
          <IconButton label="All states of this block" icon={<ListTree />} size="s" onClick={() => onStates(past)} />
        </span>
      </header>
      <div className={styles.content}>
        <RenderedBlock block={block} />
      </div>
    </article>
  )
})
