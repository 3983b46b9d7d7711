// Handing something on to another context: blocks, words of one's own, or a
// briefing, now or by way of the queue.

import { useId, useMemo, useRef, useState } from "react"
import { actors } from "../core/actors"
import { placeOf } from "../core/directory"
import { useMe } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { op } from "../core/ops"
import { Markdown } from "../editor/Markdown"
import { Button, Check, Dialog, Field, toast } from "../parts"
import { AddressField, noAddress } from "./AddressField"
import { many } from "./check"
import { composed, freshId, objection, type Chosen } from "./compose"
import { contexts } from "./contexts"
import css from "./Dialogs.module.css"
import { itemFrom, outcome } from "./items"
import { Choice } from "./Choice"
import { useDeed } from "./useDeed"

export interface PushDialogProps {
  /** The context that it comes from. */
  model: ContextModel
  /** The blocks that go; none: a text that is written here. */
  ids: readonly string[]
  onClose(): void
}

export default function PushDialog({ model, ids, onClose }: PushDialogProps) {
  const formId = useId()
  const me = useMe()?.principal ?? ""
  const blocks = useMemo(() => chosenOf(model, ids, me), [model, ids, me])
  const [to, setTo] = useState(noAddress)
  const [words, setWords] = useState("")
  const [what, setWhat] = useState<"text" | "briefing">("text")
  const [when, setWhen] = useState<"now" | "stage">("now")
  const [focus, setFocus] = useState("")
  const [act, setAct] = useState(false)
  const deed = useDeed()
  const id = useRef(freshId())
  const draft = useMemo(() => composed(words, blocks), [words, blocks])
  const briefing = what === "briefing"
  const wrong = briefing ? "" : objection(draft, blocks.length)

  const push = async (again = false) => {
    if (to.address === "" || wrong) return
    const params = {
      context: model.id,
      to: to.address,
      id: id.current,
      stage: when === "stage" || undefined,
      act: act || undefined,
      again: again || undefined,
      blocks: blocks.length > 0 ? blocks.map(b => b.id) : undefined,
      ...(briefing ? { summarize: true, focus: focus.trim() || undefined, fallback: true } : { content: words.trim() === "" ? undefined : words }),
    }
    const item = await deed.run(async () => itemFrom(await op<unknown>("drift_push", params)))
    contexts.refresh()
    if (!item) return
    const { text, ok } = outcome(item)
    const place = item.block && !item.to.kernel ? placeOf(item.to.id, item.block) : item.state === "staged" ? "#/queue" : ""
    toast({ text, kind: ok ? "ok" : "warn", action: place ? { label: item.block ? "Open" : "Queue", run: () => void (location.hash = place) } : undefined })
    onClose()
  }

  const { problem } = deed
  const ofTarget = problem !== null && (problem.field === "to" || problem.kind === "not_found")
  return (
    <Dialog
      title={blocks.length > 0 ? `Push ${many(blocks.length, "block")} to another context` : "Push to another context"}
      width="l"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          {problem?.kind === "conflict" && /\bagain\b/.test(problem.text) && <Button onClick={() => void push(true)}>Push all the same</Button>}
          <Button type="submit" form={formId} variant="primary" busy={deed.busy} disabled={to.address === "" || wrong !== ""}>
            {when === "stage" ? "Put into the queue" : briefing ? "Make it and deliver" : "Deliver"}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={css.form}
        onSubmit={e => {
          e.preventDefault()
          void push()
        }}
      >
        <AddressField label="To" value={to} onChange={setTo} own={model.id} autoFocus error={ofTarget ? problem.text : null} />
        <div className={css.choices}>
          <Choice<"text" | "briefing">
            label="What"
            value={what}
            onChange={setWhat}
            options={[
              { value: "text", label: blocks.length > 0 ? "As it is" : "A text" },
              { value: "briefing", label: blocks.length > 0 ? "A briefing of them" : "A briefing of this context" },
            ]}
          />
          <Choice<"now" | "stage">
            label="When"
            value={when}
            onChange={setWhen}
            options={[
              { value: "now", label: "Deliver now" },
              { value: "stage", label: "Leave in the queue" },
            ]}
          />
        </div>
        {briefing ? (
          <Field label="What is it to answer above all?" hint="Without a question it says what was decided and found, and what is open." value={focus} onChange={e => setFocus(e.target.value)} maxLength={2000} />
        ) : (
          <Field label={blocks.length > 0 ? "Words before it" : "What it says"} multiline rows={blocks.length > 0 ? 2 : 5} hint="Markdown. Handles of citations that stand in it are cited." value={words} onChange={e => setWords(e.target.value)} />
        )}
        <Check label="Ask the receiver to act on it" hint="Whether that is granted, the receiving kernel's policy says." checked={act} onChange={e => setAct(e.target.checked)} />
        {problem && !ofTarget && (
          <p className={css.problem} role="alert">
            {problem.text}
          </p>
        )}
        <section aria-label="Preview" className={css.preview}>
          <h3>As it will arrive</h3>
          {briefing ? (
            <p className={css.hint}>A briefing is made when you push. {when === "now" ? "To read it before it goes, leave it in the queue." : "You can read it in the queue before it goes."} Its claims cite the blocks that they rest on.</p>
          ) : wrong ? (
            <p className={css.hint}>{wrong}</p>
          ) : (
            <>
              <div className={css.text}>
                <Markdown text={draft.text} />
              </div>
              {draft.cites.length > 0 && (
                <ol className={css.cites} aria-label="Citations that go along">
                  {draft.cites.map(c => (
                    <li key={c.ref}>
                      [{c.ref}] <span>{c.label}</span>
                    </li>
                  ))}
                </ol>
              )}
            </>
          )}
        </section>
      </form>
    </Dialog>
  )
}

/** The blocks that go; `me` is who this browser acts as. */
function chosenOf(model: ContextModel, ids: readonly string[], me: string): Chosen[] {
  return ids.flatMap(id => {
    const b = model.block(id)
    const { name, own, kind } = actors.principalOf(b?.actor ?? "")
    const author = own ? me : kind === "unknown" ? "" : name
    return b && !b.deleted ? [{ id, kind: b.kind, author, content: b.content }] : []
  })
}
