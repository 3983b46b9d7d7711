import { lazy, Suspense } from "react"
import { closeDialog, useOpened } from "./dialogs"

const PushDialog = lazy(() => import("./PushDialog"))
const PullDialog = lazy(() => import("./PullDialog"))
const MergeDialog = lazy(() => import("./MergeDialog"))

/** The dialog of drift that is open. Once in a page. */
export function DriftDialogs() {
  const opened = useOpened()
  if (!opened) return null
  return (
    <Suspense>
      {opened.kind === "push" && <PushDialog model={opened.model} ids={opened.ids} onClose={closeDialog} />}
      {opened.kind === "pull" && <PullDialog model={opened.model} onClose={closeDialog} />}
      {opened.kind === "merge" && <MergeDialog model={opened.model} onClose={closeDialog} />}
    </Suspense>
  )
}
