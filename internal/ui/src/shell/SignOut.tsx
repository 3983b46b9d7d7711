import { useState } from "react"
import { acknowledged } from "../core/saved"
import { Button, Check, Dialog } from "../parts"
import { why } from "./actions"
import { closeDialog } from "./opened"
import styles from "./Dialogs.module.css"
import { forgetEverything } from "./offline"

/** Asks how much is to go: the token alone, or the copies in this browser too. */
export function SignOut() {
  const [forget, setForget] = useState(true)
  const [busy, setBusy] = useState(false)
  const [wrong, setWrong] = useState("")
  const unsent = acknowledged.marked().length
  const leave = async () => {
    setBusy(true)
    try {
      const reply = await fetch("/logout", { method: "POST" })
      if (!reply.ok) throw new Error(`The server answered ${reply.status} ${reply.statusText}`.trim())
      if (forget) await forgetEverything()
      location.replace("/")
    } catch (err) {
      setWrong(`You are still signed in: ${why(err)}`)
      setBusy(false)
    }
  }
  const buttons = (
    <>
      <Button onClick={closeDialog} autoFocus>Cancel</Button>
      <Button variant="danger" busy={busy} onClick={() => void leave()}>Sign out</Button>
    </>
  )
  return (
    <Dialog title="Sign out" width="s" onClose={closeDialog} footer={buttons}>
      <div className={styles.form}>
        <p className={styles.about}>This browser forgets the token. To come back, open the page with it again.</p>
        <Check
          label="Delete this browser’s copies too"
          hint={unsent > 0 ? `${unsent} document${unsent === 1 ? " has" : "s have"} changes that the server has not got. They would be lost.` : "The documents stay on the server. Leave it off on a device of your own."}
          checked={forget}
          onChange={e => setForget(e.currentTarget.checked)}
        />
        {wrong && <p className={styles.wrong} role="alert">{wrong}</p>}
      </div>
    </Dialog>
  )
}
