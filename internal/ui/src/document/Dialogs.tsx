import { lazy, Suspense } from "react"
import type { ContextModel } from "../core/model"
import { DeletedBlocks } from "./DeletedBlocks"
import { FindBar } from "./FindBar"
import { Keys } from "./Keys"

const BlockStates = lazy(() => import("../time/BlockStates").then(m => ({ default: m.BlockStates })))

/** Which dialog of a context is open. */
export type Shown = { what: "history"; id: string } | { what: "deleted" } | { what: "keys" }

interface DialogsProps {
  model: ContextModel
  shown: Shown | null
  onClose(): void
}

/** What lies over a context. */
export function Dialogs(props: DialogsProps) {
  return (
    <>
      <FindBar />
      <Opened {...props} />
    </>
  )
}

function Opened({ model, shown, onClose }: DialogsProps) {
  if (!shown) return null
  switch (shown.what) {
    case "history":
      return (
        <Suspense>
          <BlockStates context={model.id} id={shown.id} onClose={onClose} />
        </Suspense>
      )
    case "deleted":
      return <DeletedBlocks onClose={onClose} />
    case "keys":
      return <Keys onClose={onClose} />
  }
}
