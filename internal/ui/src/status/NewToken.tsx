import { Copy } from "lucide-react"
import { useState } from "react"
import { op, Refused } from "../core/ops"
import { Button, Dialog, Field, toast } from "../parts"
import styles from "./Status.module.css"
import { wordsOf } from "./words"

const kinds = [
  { value: "person", label: "Person" },
  { value: "agent", label: "Agent" },
  { value: "service", label: "Service: a relay for others" },
]
const roles = [
  { value: "reader", label: "Reader: see, search, export" },
  { value: "commenter", label: "Commenter: and comment" },
  { value: "editor", label: "Editor: and write" },
  { value: "owner", label: "Owner: and delete, and say who may do what" },
  { value: "none", label: "None, but what contexts grant" },
]
const ends = [
  { value: "", label: "Never" },
  { value: "24h", label: "In a day" },
  { value: "168h", label: "In a week" },
  { value: "720h", label: "In 30 days" },
]

/** Makes a token, and shows it once. */
export function NewToken({ onClose }: { onClose(): void }) {
  const [name, setName] = useState("")
  const [kind, setKind] = useState("agent")
  const [role, setRole] = useState("editor")
  const [expires, setExpires] = useState("")
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<Error | null>(null)
  const [token, setToken] = useState("")
  const make = async () => {
    setBusy(true)
    setError(null)
    try {
      const made = await op<{ token?: unknown }>("token_create", { name: name.trim(), kind, role, ...(expires ? { expires } : {}) })
      setToken(typeof made.token === "string" ? made.token : "")
    } catch (err) {
      setError(err as Error)
    }
    setBusy(false)
  }
  const at = (field: string) => (error instanceof Refused && error.field === field ? wordsOf(error) : null)
  if (token) {
    return (
      <Dialog title={`The token of ${name.trim()}`} onClose={onClose} footer={<Button variant="primary" onClick={onClose}>Done</Button>}>
        <div className={styles.form}>
          <p>It is shown this once and kept nowhere. Whoever has it acts as {name.trim()}.</p>
          <div className={styles.token}>
            <code>{token}</code>
            <Button
              icon={<Copy aria-hidden />}
              onClick={() =>
                void navigator.clipboard?.writeText(token).then(
                  () => toast({ kind: "ok", text: "Copied" }),
                  () => toast({ kind: "error", text: "The browser did not let it be copied: select it" }),
                )
              }
            >
              Copy
            </Button>
          </div>
        </div>
      </Dialog>
    )
  }
  const other = error && !["name", "kind", "role", "expires"].some(at) ? wordsOf(error) : null
  return (
    <Dialog
      title="New token"
      width="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="token" busy={busy}>Create</Button>
        </>
      }
    >
      <form
        id="token"
        className={styles.form}
        onSubmit={e => {
          e.preventDefault()
          void make()
        }}
      >
        <Field label="Name" hint="Under it histories show what is done with the token, for ever. Give each agent its own." value={name} onChange={e => setName(e.target.value)} error={at("name")} required autoFocus />
        <Field label="Kind" choices={kinds} value={kind} onChange={e => setKind(e.target.value)} error={at("kind")} />
        <Field label="Role" choices={roles} value={role} onChange={e => setRole(e.target.value)} error={at("role")} />
        <Field label="Ends" choices={ends} value={expires} onChange={e => setExpires(e.target.value)} error={at("expires")} />
        {other && <p className={styles.error} role="alert">{other}</p>}
      </form>
    </Dialog>
  )
}
