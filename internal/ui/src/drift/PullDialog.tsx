// Asking another context something: a briefing of it comes into this one.

import { useId, useRef, useState } from "react"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import { Button, Dialog, Field } from "../parts"
import { AddressField, noAddress } from "./AddressField"
import { told } from "./arrived"
import { freshId } from "./compose"
import css from "./Dialogs.module.css"
import { useDeed } from "./useDeed"

export default function PullDialog({ model, onClose }: { model: ContextModel; onClose(): void }) {
  const formId = useId()
  const [from, setFrom] = useState(noAddress)
  const [focus, setFocus] = useState("")
  const deed = useDeed()
  const id = useRef(freshId())
  const pull = async () => {
    const done = await deed.run(() => op<unknown>("drift_pull", { from: from.address, context: model.id, focus: focus.trim() || undefined, fallback: true, id: id.current }))
    if (done && told(done)) onClose()
  }
  const { problem } = deed
  const ofSource = problem !== null && (problem.field === "from" || problem.kind === "not_found")
  return (
    <Dialog
      title="Pull from another context"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} variant="primary" busy={deed.busy} disabled={from.address === ""}>
            Pull
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={css.form}
        onSubmit={e => {
          e.preventDefault()
          void pull()
        }}
      >
        <AddressField label="From" value={from} onChange={setFrom} own={model.id} autoFocus error={ofSource ? problem.text : null} />
        <Field label="What do you want to know?" multiline rows={3} hint="A briefing of the other context comes into this one, and cites what it rests on. Without a question it says what was decided and found, and what is open." value={focus} onChange={e => setFocus(e.target.value)} maxLength={2000} />
        {problem && !ofSource && (
          <p className={css.problem} role="alert">
            {problem.text}
          </p>
        )}
      </form>
    </Dialog>
  )
}
