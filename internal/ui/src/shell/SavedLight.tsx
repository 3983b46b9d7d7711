import { useState } from "react"
import { useLight, useLink } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { acknowledged, type Light } from "../core/saved"
import { Popover } from "../parts"
import { useContextList } from "./contextlist"
import { nameOf } from "./rows"
import styles from "./SavedLight.module.css"

const meanings: Record<Light["state"], string> = {
  connected: "The server can be reached.",
  typing: "You are typing. What you typed a moment ago is not sent yet.",
  sending: "Your changes are in this browser and on their way. The server has not said yet that they are on its disk.",
  saved: "The server has said that everything in this document is on its disk.",
  offline: "The server cannot be reached. You can go on: changes are kept in this browser, and are sent and merged when it is back.",
  refused: "The server did not take a change. It stays in this browser; others do not see it.",
}

/** What the server has said about what is shown. A click says what that means. */
export function SavedLight({ model }: { model: ContextModel | null }) {
  const link = useLink()
  const light = useLight(model)
  const { rows } = useContextList()
  const [open, setOpen] = useState(false)
  const unsent = open ? acknowledged.marked() : []
  const nameFor = (document: string) => {
    const row = rows.find(r => r.url === `automerge:${document}`)
    return row ? nameOf(row) : "A document"
  }
  return (
    <Popover
      label="What is saved"
      align="end"
      open={open}
      onOpenChange={setOpen}
      trigger={
        <button type="button" className={styles.button} data-state={light.state}>
          <output className="light" data-state={light.state} data-unsent={light.unsent} aria-live="polite">
            {light.text}
          </output>
        </button>
      }
    >
      <div className={styles.about}>
        <p>
          <strong data-state={light.state}>{light.text}</strong>
        </p>
        <p>{meanings[light.state]}</p>
        {light.state === "refused" && link.refusal && <p className={styles.refusal}>{link.refusal}</p>}
        {unsent.length > 0 && (
          <>
            <h3>Documents with unsent changes</h3>
            <ul>
              {unsent.map(id => (
                <li key={id}>
                  <a href={`#automerge:${id}`} onClick={() => setOpen(false)}>
                    {nameFor(id)}
                  </a>
                </li>
              ))}
            </ul>
          </>
        )}
        {light.state !== "offline" && unsent.length === 0 && light.unsent === 0 && <p className={styles.muted}>Nothing in this browser waits to be sent.</p>}
      </div>
    </Popover>
  )
}
