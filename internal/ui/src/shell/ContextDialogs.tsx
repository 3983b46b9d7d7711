import { useState, type ReactNode } from "react"
import { Refused } from "../core/ops"
import { Button, Dialog, Field } from "../parts"
import { createContext, forkContext, labelContext, renameContext, why } from "./actions"
import { closeDialog, useDialog } from "./opened"
import styles from "./Dialogs.module.css"
import { nameOf } from "./rows"

const titleHint = "What people call it. It may be changed."
const labelHint = "A short name that no other context has: a to z, 0 to 9 and . _ + -"
const maxTitle = 200

/** The dialog about a context that is open now, if one is. */
export function ContextDialogs() {
  const opened = useDialog()
  switch (opened?.dialog) {
    case "create":
      return (
        <Form title="New context" verb="Create" submit={v => createContext(v.title.trim(), v.label.trim())}>
          <Title />
          <Label hint={`Optional. ${labelHint}`} />
        </Form>
      )
    case "rename":
      return (
        <Form title="Rename" verb="Rename" submit={v => renameContext(opened.row, v.title.trim())}>
          <Title value={opened.row.title} />
        </Form>
      )
    case "label":
      return (
        <Form title={`Label of “${nameOf(opened.row)}”`} verb="Save" submit={v => labelContext(opened.row, v.label.trim())}>
          <Label value={opened.row.label} hint={`${labelHint}. Empty takes it away.`} focus />
        </Form>
      )
    case "fork":
      return (
        <Form title={`Fork “${nameOf(opened.row)}”`} verb="Fork" submit={v => forkContext(opened.row, v.title.trim(), v.label.trim())}>
          <p className={styles.about}>A new context that begins with the history of this one as it is now. From then on they go their own ways.</p>
          <Title value={`${nameOf(opened.row)} (fork)`} />
          <Label hint={`Optional. ${labelHint}`} />
        </Form>
      )
    default:
      return null
  }
}

const Title = ({ value }: { value?: string }) => <Field name="title" label="Title" hint={titleHint} defaultValue={value} maxLength={maxTitle} autoFocus onFocus={e => (e.currentTarget as HTMLInputElement).select()} />
const Label = ({ value, hint, focus }: { value?: string; hint: string; focus?: boolean }) => <Field name="label" label="Label" hint={hint} defaultValue={value} maxLength={63} autoCapitalize="off" spellCheck={false} autoFocus={focus} />

interface Values {
  title: string
  label: string
}

function Form({ title, verb, submit, children }: { title: string; verb: string; submit(v: Values): Promise<void>; children: ReactNode }) {
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState("")
  const send = async (data: FormData) => {
    setBusy(true)
    setWrong("")
    try {
      await submit({ title: String(data.get("title") ?? ""), label: String(data.get("label") ?? "") })
      closeDialog()
    } catch (err) {
      setWrong(err instanceof Refused ? [err.message, err.hint].filter(Boolean).join(". ") : `${why(err)} This is done there.`)
      setBusy(false)
    }
  }
  return (
    <Dialog title={title} width="s" onClose={closeDialog}>
      <form
        className={styles.form}
        onSubmit={e => {
          e.preventDefault()
          void send(new FormData(e.currentTarget))
        }}
      >
        {children}
        {wrong && <p className={styles.wrong} role="alert">{wrong}</p>}
        <div className={styles.buttons}>
          <Button onClick={closeDialog}>Cancel</Button>
          <Button type="submit" variant="primary" busy={busy}>{verb}</Button>
        </div>
      </form>
    </Dialog>
  )
}
