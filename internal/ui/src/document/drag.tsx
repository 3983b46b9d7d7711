// Moving blocks by dragging them.

import { draggable, dropTargetForElements, monitorForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter"
import { setCustomNativeDragPreview } from "@atlaskit/pragmatic-drag-and-drop/element/set-custom-native-drag-preview"
import { useCallback, useEffect, useRef, type RefObject } from "react"
import type { ContextModel } from "../core/model"
import { useDoc, useRowState, type Doc } from "./doc-context"
import { placeOf, pull, whereIn, type Tree, type Where } from "./drop"
import { blocksCount } from "./words"
import css from "./row.module.css"

const kind = "kaijutsu-blocks"

/** Makes a row draggable by what the ref is put on. */
export function useDragHandle(id: string): (grip: HTMLElement | null) => (() => void) | undefined {
  const doc = useDoc()
  return useCallback(
    grip => {
      const row = grip?.closest<HTMLElement>("[data-row]")
      if (!grip || !row) return undefined
      return draggable({
        element: row,
        dragHandle: grip,
        getInitialData: () => ({ kind, model: doc.model, ids: doc.act.targets(id) }),
        onGenerateDragPreview: ({ nativeSetDragImage }) =>
          setCustomNativeDragPreview({
            nativeSetDragImage,
            render: ({ container }) => {
              const chip = document.createElement("div")
              chip.className = css.chip ?? ""
              chip.textContent = blocksCount(doc.act.targets(id).length)
              container.append(chip)
            },
          }),
        onDragStart: () => doc.state.drag(doc.act.targets(id)),
        onDrop: () => doc.state.drag([]),
      })
    },
    [doc, id],
  )
}

/** Lets blocks be dropped on a row, and shows where they would come to lie. */
export function DropMark({ id }: { id: string }) {
  const doc = useDoc()
  const ref = useRef<HTMLSpanElement>(null)
  const where = useRowState(id, s => (s.drop?.id === id ? s.drop.where : null))
  useEffect(() => {
    const row = ref.current?.closest<HTMLElement>("[data-row]")
    if (!row) return
    const place = (y: number): Where => whereIn(y, row.getBoundingClientRect().top, row.getBoundingClientRect().height)
    return dropTargetForElements({
      element: row,
      canDrop: ({ source }) => source.data.kind === kind && source.data.model === doc.model,
      getData: ({ input }) => ({ id, where: place(input.clientY) }),
      onDrag: ({ self, source }) => {
        const to = self.data as { id: string; where: Where }
        doc.state.setDrop(placeOf(treeOf(doc.model), source.data.ids as string[], to.id, to.where) ? to : null)
      },
      onDragLeave: () => doc.state.setDrop(null),
    })
  }, [doc, id])
  return <span ref={ref} className={css.drop} data-where={where ?? undefined} />
}

/** Watches drags over the list: drops what is let go, and scrolls at the edges. */
export function useDrops(doc: Doc, scroller: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let speed = 0
    let frame = 0
    const scroll = () => {
      frame = speed === 0 ? 0 : requestAnimationFrame(scroll)
      scroller.current?.scrollBy(0, speed)
    }
    const stop = () => {
      speed = 0
      doc.state.setDrop(null)
      doc.state.drag([])
    }
    const stopWatching = monitorForElements({
      canMonitor: ({ source }) => source.data.kind === kind && source.data.model === doc.model,
      onDrag: ({ location }) => {
        const box = scroller.current?.getBoundingClientRect()
        if (!box) return
        speed = pull(location.current.input.clientY, box.top, box.bottom)
        if (speed !== 0 && frame === 0) frame = requestAnimationFrame(scroll)
      },
      onDrop: ({ source, location }) => {
        stop()
        const to = location.current.dropTargets[0]?.data as { id?: string; where?: Where } | undefined
        if (!to?.id || !to.where) return
        const ids = source.data.ids as string[]
        const place = placeOf(treeOf(doc.model), ids, to.id, to.where)
        if (place) doc.act.move(ids, place)
      },
    })
    return () => {
      stop()
      stopWatching()
      cancelAnimationFrame(frame)
    }
  }, [doc, scroller])
}

const treeOf = (model: ContextModel): Tree => ({
  parentOf: id => model.parentOf(id),
  children: id => model.children(id),
  opened: id => {
    const row = model.rows[model.indexOf(id)]
    return row !== undefined && row.children > 0 && !row.folded
  },
})
