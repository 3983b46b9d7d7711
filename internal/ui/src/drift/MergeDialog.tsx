// Telling the context that this one was forked from what came of it.

import { useId, useMemo, useRef, useState } from "react"
import { useOp } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import { Button, Dialog, Field, Spinner } from "../parts"
import { told } from "./arrived"
import { freshId } from "./compose"
import css from "./Dialogs.module.css"
import { parentIn } from "./lineage"
import { nameOf } from "./place"
import { problemOf, useDeed } from "./useDeed"

export default function MergeDialog({ model, onClose }: { model: ContextModel; onClose(): void }) {
  const formId = useId()
  const [focus, setFocus] = useState("")
  const deed = useDeed()
  const id = useRef(freshId())
  const lineage = useOp<unknown>("context_lineage", { context: model.id })
  const parent = useMemo(() => parentIn(lineage.data), [lineage.data])
  const merge = async () => {
    const done = await deed.run(() => op<unknown>("drift_merge", { context: model.id, focus: focus.trim() || undefined, fallback: true, id: id.current }))
    if (done && told(done)) onClose()
  }
  return (
    <Dialog
      title="Merge into the parent"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={deed.busy} disabled={!parent}>
            Merge
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={css.form}
        onSubmit={e => {
          e.preventDefault()
          void merge()
        }}
      >
        {lineage.data === undefined && !lineage.error && <Spinner label="Looking for the parent" />}
        {lineage.error && (
          <p className={css.problem} role="alert">
            {problemOf(lineage.error).text}
          </p>
        )}
        {lineage.data !== undefined && !parent && <p>This context was not forked from one that you may read, so there is nothing that it could be merged into.</p>}
        {parent && (
          <p>
            <b>{nameOf(parent)}</b> gets a briefing of what came of this fork. The blocks stay here; the briefing cites them.
          </p>
        )}
        {parent && <Field label="What is it to answer above all?" hint="May stay empty." value={focus} onChange={e => setFocus(e.target.value)} maxLength={2000} autoFocus />}
        {deed.problem && (
          <p className={css.problem} role="alert">
            {deed.problem.text}
          </p>
        )}
      </form>
    </Dialog>
  )
}
