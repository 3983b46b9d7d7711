import { useEffect, useMemo, useState } from "react"
import { useMe, useOp } from "../core/hooks"
import { op } from "../core/ops"
import { Button, Dialog, Field, toast } from "../parts"
import { identitiesFrom } from "./answers"
import { errorAt, errorElsewhere, useDeed } from "./deeds"
import styles from "./git.module.css"

/** What commits call this person: asks, and keeps it. */
export function useIdentity() {
  const me = useMe()
  const asked = useOp<unknown>(me ? "identity_list" : null, {})
  const own = useMemo(() => identitiesFrom(asked.data).find(i => i.principal === me?.principal), [asked.data, me])
  return { own, known: asked.data !== undefined && me !== null, reload: asked.reload }
}

/** Says under which name and address commits name this person. */
export function IdentityDialog({ onClose, onDone }: { onClose(): void; onDone?(): void }) {
  const { own, known } = useIdentity()
  const [name, setName] = useState("")
  const [email, setEmail] = useState("")
  useEffect(() => {
    if (!own) return
    setName(n => n || own.name)
    setEmail(e => e || own.email)
  }, [own])
  const { busy, error, run } = useDeed()
  const save = () =>
    run(async () => {
      await op("identity_set", { name: name.trim(), email: email.trim() })
      toast({ kind: "ok", text: email.trim() ? `Commits name you ${name.trim() || own?.principal || ""} <${email.trim()}>` : "Commits name you without an address" })
      onDone?.()
      onClose()
    })
  return (
    <Dialog
      title="Your name in commits"
      width="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="identity" busy={busy} disabled={!known}>Save</Button>
        </>
      }
    >
      <form
        id="identity"
        className={styles.form}
        onSubmit={e => {
          e.preventDefault()
          void save()
        }}
      >
        <Field label="Full name" value={name} onChange={e => setName(e.target.value)} error={errorAt(error, "name")} autoFocus autoComplete="name" />
        <Field label="Email" type="email" hint="Without one you are named as an author, and in no trailer Co-authored-by." value={email} onChange={e => setEmail(e.target.value)} error={errorAt(error, "email")} autoComplete="email" />
        {errorElsewhere(error, ["name", "email"]) && <p className={styles.error} role="alert">{errorElsewhere(error, ["name", "email"])}</p>}
      </form>
    </Dialog>
  )
}
