import { ChevronDown, ChevronUp, X } from "lucide-react"
import { useDeferredValue, useEffect, useMemo, useRef, useState, useSyncExternalStore, type KeyboardEvent } from "react"
import { useCommands } from "../core/commands"
import { highlightSoon } from "../drift/highlight"
import { IconButton } from "../parts"
import { useDoc } from "./doc-context"
import { hitsIn } from "./find"
import css from "./find.module.css"

/** Finds words in a context, also where the browser's own find sees nothing: most blocks are not in the page. */
export function FindBar() {
  const [open, setOpen] = useState(0)
  useCommands(() => [{ id: "doc.find", title: "Find in this context", group: "Context", keys: "Mod+F", run: () => setOpen(n => n + 1) }], [])
  return open > 0 && <Bar asked={open} onClose={() => setOpen(0)} />
}

function Bar({ asked, onClose }: { asked: number; onClose(): void }) {
  const { model, state, act } = useDoc()
  const box = useRef<HTMLInputElement>(null)
  const seeking = useRef(false) // a block is being shown: the keyboard that it gets is ours
  const [query, setQuery] = useState("")
  const [at, setAt] = useState<string | null>(null)
  const rows = useSyncExternalStore(fn => model.subscribe("rows", fn), () => model.rows)
  const words = useDeferredValue(query)
  const hits = useMemo(() => hitsIn(model.everything(), words), [model, rows, words])
  const place = hits.findIndex(hit => hit.id === at)

  useEffect(() => box.current?.select(), [asked])
  useEffect(() => {
    const back = (e: FocusEvent) => {
      if (!seeking.current || !(e.target instanceof HTMLElement) || e.target.dataset.row === undefined) return
      seeking.current = false
      box.current?.focus({ preventScroll: true })
    }
    document.addEventListener("focusin", back)
    return () => document.removeEventListener("focusin", back)
  }, [])

  const go = (by: 1 | -1) => {
    const n = hits.length
    if (n === 0) return
    const hit = hits[place < 0 ? (by > 0 ? 0 : n - 1) : (place + by + n) % n]!
    setAt(hit.id)
    // What is folded away or stands in a card shows as the block that holds it.
    let line = hit.id
    while (state.indexOf(line) < 0 && model.parentOf(line) !== "") line = model.parentOf(line)
    if (state.indexOf(line) < 0) return
    seeking.current = document.activeElement === box.current
    state.selectOne(line)
    act.stage.show(line)
    highlightSoon(hit.id, hit.text)
  }
  const close = () => {
    seeking.current = false
    onClose()
    const { focus } = state.selection
    if (focus !== null) act.stage.show(focus)
  }
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.nativeEvent.isComposing) return
    if (e.key === "Enter" && e.target === box.current) go(e.shiftKey ? -1 : 1)
    else if (e.key === "Escape") close()
    else return
    e.preventDefault()
  }
  return (
    <div role="search" aria-label="Find in this context" className={`${css.bar} no-print`} onKeyDown={onKeyDown}>
      <input ref={box} className={css.box} aria-label="Words to find" placeholder="Find" dir="auto" autoFocus value={query} onChange={e => (setQuery(e.target.value), setAt(null))} />
      <output className={css.count}>{words.trim() === "" ? "" : hits.length === 0 ? "Nothing" : place < 0 ? (hits.length === 1 ? "1 block" : `${hits.length} blocks`) : `${place + 1} of ${hits.length}`}</output>
      <IconButton size="s" label="Previous" keys="Shift+Enter" icon={<ChevronUp />} disabled={hits.length === 0} onClick={() => go(-1)} />
      <IconButton size="s" label="Next" keys="Enter" icon={<ChevronDown />} disabled={hits.length === 0} onClick={() => go(1)} />
      <IconButton size="s" label="Close" keys="Escape" icon={<X />} onClick={close} />
    </div>
  )
}
