import { useCallback, useEffect, useImperativeHandle, useLayoutEffect, useMemo, useRef, useSyncExternalStore, type Ref, type RefObject } from "react"
import { useRows } from "../core/hooks"
import { TitleEditor } from "../editor/TitleEditor"
import { BlameLegend } from "../time/BlameLayer"
import { BlockMenu } from "./BlockMenu"
import { BlockRow } from "./BlockRow"
import { Composer } from "./Composer"
import { useDoc } from "./doc-context"
import { useDrops } from "./drag"
import { EmptyContext } from "./EmptyContext"
import { linesOf, type Line } from "./lines"
import { keyFromNowhere, listKey } from "./list-keys"
import { rightsWords } from "./rights"
import { useClipboard } from "./useClipboard"
import { useBottomBar } from "./useBottomBar"
import { useWindow } from "./useWindow"
import css from "./context.module.css"

export interface BlockListProps {
  scroller: RefObject<HTMLElement | null>
  composer: RefObject<HTMLTextAreaElement | null>
  reveal?: string | undefined
  ref?: Ref<{ show(id: string): void; toEnd(): void }>
}

/** The title, the blocks and the composer. Of the blocks only those about the window are in the page. */
export function BlockList({ scroller, composer, reveal, ref }: BlockListProps) {
  const doc = useDoc()
  const { model, state, act, rights } = doc
  const list = useRef<HTMLDivElement>(null)
  const end = useRef<HTMLDivElement>(null)
  const lines = useLines()
  const editing = useSyncExternalStore(state.subscribeAny, () => state.editing?.id ?? null)
  const dragged = useSyncExternalStore(state.subscribeAny, () => state.dragged)
  const focus = useSyncExternalStore(state.subscribeAny, () => state.selection.focus)
  const kept = useMemo(() => (focus === null ? dragged : [...dragged, focus]), [dragged, focus])
  const { virtual, reveal: scrollTo, toEnd } = useWindow({ lines, scroller, list, held: editing, kept })
  const wanted = useRef<{ id: string; since: number } | null>(null) // a row that is to get the keyboard once it is there
  useDrops(doc, scroller)
  useBottomBar(end)

  const show = useCallback(
    (id: string) => {
      const line = lineOf(id, state.indexOf(id) >= 0, model.parentOf(id))
      wanted.current = { id: line, since: performance.now() }
      if (!focusRow(list.current, line, state.editing?.id === line)) scrollTo(line)
      else wanted.current = null
    },
    [model, state, scrollTo],
  )
  useImperativeHandle(ref, () => ({ show, toEnd: () => requestAnimationFrame(toEnd) }), [show, toEnd])

  // Gives the keyboard to a row that was asked for, as soon as it is in the page.
  useLayoutEffect(() => {
    const want = wanted.current
    if (!want) return
    if (focusRow(list.current, want.id, state.editing?.id === want.id) || performance.now() - want.since > 2000) wanted.current = null
    else scrollTo(want.id)
  })

  const shown = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (reveal === undefined || shown.current === reveal || lines.length === 0) return
    const line = lineOf(reveal, state.indexOf(reveal) >= 0, model.parentOf(reveal))
    if (state.indexOf(line) < 0) return
    shown.current = reveal
    state.selectOne(line)
    wanted.current = { id: line, since: performance.now() }
    scrollTo(line, "center")
  }, [reveal, lines, model, state, scrollTo])

  useClipboard(doc, list, scroller)

  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      const nowhere = e.target === document.body || (e.target instanceof Element && e.target.id === "stage")
      if (!nowhere || e.defaultPrevented || e.isComposing || document.querySelector("dialog[open]")) return
      if (keyFromNowhere(e, doc, () => firstInSight(list.current, scroller.current))) e.preventDefault()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [doc, scroller])

  const items = virtual.getVirtualItems()
  const range = virtual.range
  const inFlow = (n: number) => range !== null && n >= range.startIndex - virtual.options.overscan && n <= range.endIndex + virtual.options.overscan
  const first = items.find(item => inFlow(item.index))
  const margin = virtual.options.scrollMargin
  return (
    <div className={css.column}>
      <div className={css.top}>
        <TitleEditor model={model} readOnly={rights !== "edit"} />
        {rights !== "edit" && (
          <p className={css.rights} role="note">
            {rightsWords[rights]}.
          </p>
        )}
        <BlameLegend />
      </div>
      <div
        ref={list}
        role="feed"
        aria-label="Blocks"
        aria-busy={false}
        className={css.list}
        style={{ minHeight: virtual.getTotalSize(), paddingTop: first ? first.start - margin : 0 }}
        onKeyDown={e => listKey(e, doc)}
      >
        {items.map(item => {
          const line = lines[item.index]
          return line && <BlockRow key={line.id} line={line} index={item.index} count={lines.length} kept={inFlow(item.index) ? null : item.start - margin} measure={virtual.measureElement} />
        })}
      </div>
      {lines.length === 0 && <EmptyContext model={model} mute={rights !== "edit"} />}
      <BlockMenu list={list} />
      <div ref={end} className={`${css.end} no-print`}>
        {rights !== "read" && (
          <Composer
            ref={composer}
            label="New block"
            draft={model.url}
            placeholder={rights === "comment" ? "Write a comment…" : "Write a block…  / for more"}
            plain={rights === "comment"}
            onAdd={(text, start) => act.addAtEnd(text, start) !== null}
            onUp={() => {
              const last = lines.at(-1)
              if (last) (state.selectOne(last.id), show(last.id))
            }}
          />
        )}
      </div>
    </div>
  )
}

/** The first block of which the beginning is in sight. */
function firstInSight(list: HTMLElement | null, scroller: HTMLElement | null): string | undefined {
  const top = scroller?.getBoundingClientRect().top ?? 0
  const rows = [...(list?.querySelectorAll<HTMLElement>("[data-row]") ?? [])]
  return (rows.find(row => row.getBoundingClientRect().top >= top) ?? rows.at(-1))?.dataset.row
}

/** The lines of the context; the view state is told their order. */
function useLines(): readonly Line[] {
  const { model, state } = useDoc()
  const rows = useRows(model)
  const before = useRef<ReadonlyMap<string, Line>>(new Map())
  const lines = useMemo(() => {
    const made = linesOf({ rows, block: id => model.block(id), children: id => model.children(id) }, before.current)
    before.current = new Map(made.map(line => [line.id, line]))
    return made
  }, [rows, model])
  useLayoutEffect(() => state.setOrder(lines.map(line => line.id)), [state, lines])
  return lines
}

/** The block whose line shows another: that of a call, for its results. */
const lineOf = (id: string, shown: boolean, parent: string): string => (shown ? id : parent || id)

/** Puts the keyboard on a row if it is in the page, or into its editor; one that only comes takes it by itself. */
function focusRow(list: HTMLElement | null, id: string, editing: boolean): boolean {
  const row = list?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)
  if (!row) return false
  row.scrollIntoView({ block: "nearest" })
  const to = editing ? row.querySelector<HTMLElement>(".cm-content") : row
  if (to && document.activeElement !== to) to.focus({ preventScroll: true })
  return true
}
