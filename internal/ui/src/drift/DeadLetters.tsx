// Drifts that could not be delivered: why, and how to try them again.

import { MailX, RotateCw } from "lucide-react"
import { useState } from "react"
import type { OpState } from "../core/hooks"
import { op } from "../core/ops"
import { Button, Dialog, Empty, Menu, toast } from "../parts"
import { AddressField, noAddress } from "./AddressField"
import { contexts } from "./contexts"
import { itemsFrom, outcome, type Item } from "./items"
import { QueueItem } from "./QueueItem"
import { Trouble } from "./Trouble"
import { useDeed } from "./useDeed"
import css from "./Views.module.css"

interface Props {
  items: readonly Item[]
  state: OpState<unknown>
  onChange(): void
}

export function DeadLetters({ items, state, onChange }: Props) {
  const [elsewhere, setElsewhere] = useState<Item | null>(null)
  const deed = useDeed()
  const replay = async (item: string, to = "") => {
    const done = await deed.run(async () => itemsFrom(await op<unknown>("drift_replay", { item, to: to || undefined })))
    if (!done) return false
    for (const replayed of done.slice(0, 3)) {
      const { text, ok } = outcome(replayed)
      toast({ text: `#${replayed.number}: ${text}`, kind: ok ? "ok" : "warn" })
    }
    contexts.refresh()
    onChange()
    return true
  }
  return (
    <div className={css.panel}>
      <Trouble state={state} what="the dead letters" />
      {state.data !== undefined && items.length === 0 && (
        <Empty icon={<MailX aria-hidden />} title="No dead letters">
          A drift that fails five times, or that its receiver refuses, stands here with the reason.
        </Empty>
      )}
      {items.length > 1 && (
        <div className={css.buttons}>
          <Button icon={<RotateCw aria-hidden />} busy={deed.busy} onClick={() => void replay("all")}>
            Try all again
          </Button>
        </div>
      )}
      {deed.problem && !elsewhere && (
        <p className={css.problem} role="alert">
          {deed.problem.text}
        </p>
      )}
      <ul className={css.cards}>
        {items.map(item => (
          <QueueItem
            key={item.drift}
            item={item}
            onChange={onChange}
            more={
              <Menu
                label="Try again"
                trigger={
                  <Button size="s" icon={<RotateCw aria-hidden />} disabled={deed.busy}>
                    Try again
                  </Button>
                }
                items={[
                  { label: "To where it was to go", run: () => void replay(item.drift) },
                  { label: "To another context…", run: () => setElsewhere(item) },
                ]}
              />
            }
          />
        ))}
      </ul>
      {elsewhere && (
        <Elsewhere
          item={elsewhere}
          busy={deed.busy}
          error={deed.problem?.text ?? null}
          onClose={() => {
            deed.clear()
            setElsewhere(null)
          }}
          onSend={async to => {
            if (await replay(elsewhere.drift, to)) setElsewhere(null)
          }}
        />
      )}
    </div>
  )
}

function Elsewhere({ item, busy, error, onClose, onSend }: { item: Item; busy: boolean; error: string | null; onClose(): void; onSend(to: string): void }) {
  const [to, setTo] = useState(noAddress)
  const send = (e: React.FormEvent) => {
    e.preventDefault()
    if (to.address) onSend(to.address)
  }
  return (
    <Dialog
      title={`Send #${item.number} elsewhere`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="elsewhere" variant="primary" busy={busy} disabled={!to.address}>
            Send
          </Button>
        </>
      }
    >
      <form id="elsewhere" className={css.elsewhere} onSubmit={send}>
        <AddressField label="To" value={to} onChange={setTo} own={item.from.id} error={error} autoFocus />
      </form>
    </Dialog>
  )
}
