import { useCallback, useEffect, useMemo, useRef, useState } from "react"
import { onUnfit } from "../core/edits"
import { useLink, useTitle } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { settled } from "../core/settled"
import { openPush } from "../drift/dialogs"
import { useDriftCommands } from "../drift/useDriftCommands"
import { useReadMark } from "../drift/useReadMark"
import { toast } from "../parts"
import { usePresence } from "../presence/usePresence"
import { useSeen } from "../time/seen"
import { BlameProvider, useBlame } from "../time/useBlame"
import { Actions } from "./actions"
import { BlockList } from "./BlockList"
import { Dialogs, type Shown } from "./Dialogs"
import { DocContext, type Doc } from "./doc-context"
import { useRights } from "./rights"
import { SeatBook } from "./seat-book"
import { PrintSheet } from "./PrintSheet"
import { useDocCommands } from "./useDocCommands"
import { useFileDrop } from "./useFileDrop"
import { ViewState } from "./view-state"
import css from "./context.module.css"

export interface ContextViewProps {
  model: ContextModel
  /** A block to bring into sight. */
  reveal?: string | undefined
}

/** A context as a document of blocks. */
export default function ContextView({ model, reveal }: ContextViewProps) {
  return <Open key={model.url} model={model} reveal={reveal} />
}

function Open({ model, reveal }: ContextViewProps) {
  const scroller = useRef<HTMLElement>(null)
  const composer = useRef<HTMLTextAreaElement>(null)
  const live = useRef<HTMLDivElement>(null)
  const list = useRef<{ show(id: string): void; toEnd(): void }>(null)
  const [dialog, setDialog] = useState<Shown | null>(null)
  const title = useTitle(model)
  const link = useLink()
  const rights = useRights(model)
  const [base, book] = useMemo(() => {
    const state = new ViewState()
    const book = new SeatBook()
    const act = new Actions(model, state, {
      show: id => list.current?.show(id),
      toEnd: () => list.current?.toEnd(),
      announce: text => live.current && (live.current.textContent = text),
      push: ids => openPush({ model, ids }),
      history: id => setDialog({ what: "history", id }),
      saved: () => settled(model, link),
    })
    const base: Omit<Doc, "rights"> = { model, state, act, seats: book, composer: () => composer.current?.focus() }
    return [base, book]
  }, [model, link])
  const doc = useMemo<Doc>(() => {
    base.act.rights = rights
    if (rights === "read") base.state.edit(null)
    return { ...base, rights }
  }, [base, rights])
  const presence = usePresence(model)
  useEffect(() => book.take(presence.peers), [book, presence])
  const blame = useBlame(model)
  useSeen(model)
  useReadMark(model)
  useEffect(() => onUnfit(why => toast({ text: why.message, kind: "warn" })), [])
  useDocCommands(doc, setDialog)
  useFileDrop(doc.act)
  useDriftCommands(model, useCallback(() => base.state.selected(), [base]), rights === "edit")
  return (
    <DocContext value={doc}>
      <section ref={scroller} className={`context ${css.context}`} aria-label={title ? `Context ${title}` : "Context"}>
        <BlameProvider value={blame}>
          <BlockList ref={list} scroller={scroller} composer={composer} reveal={reveal} />
        </BlameProvider>
        <div ref={live} className="sr-only" role="status" aria-live="polite" />
      </section>
      <Dialogs model={model} shown={dialog} onClose={() => setDialog(null)} />
      <PrintSheet model={model} />
    </DocContext>
  )
}
