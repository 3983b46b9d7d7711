import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from "lucide-react"
import { useEffect, useState, useSyncExternalStore } from "react"
import { Button } from "./Button"
import { IconButton } from "./IconButton"
import { dismiss, toasts, type Shown } from "./toast"
import styles from "./Toasts.module.css"

/** How long a message stays, in milliseconds; one with something to do stays longer. */
const stayMillis = 5000
const stayToActMillis = 10_000

const icons = { info: Info, ok: CircleCheck, warn: TriangleAlert, error: CircleAlert }

/** The messages that are shown now. Once in a page. */
export function Toasts() {
  const shown = useSyncExternalStore(toasts.subscribe, toasts.get, toasts.get)
  const [held, setHeld] = useState(false) // the pointer or the focus is on them
  return (
    <div className={styles.toasts} role="region" aria-label="Messages" onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)} onFocus={() => setHeld(true)} onBlur={() => setHeld(false)}>
      <div aria-live="polite" aria-relevant="additions">
        {shown.map(t => <One key={t.id} toast={t} held={held} />)}
      </div>
    </div>
  )
}

function One({ toast, held }: { toast: Shown; held: boolean }) {
  const Icon = icons[toast.kind]
  useEffect(() => {
    if (held || toast.kind === "error") return
    const timer = setTimeout(() => dismiss(toast.id), toast.action ? stayToActMillis : stayMillis)
    return () => clearTimeout(timer)
  }, [toast, held])
  return (
    <div className={styles.toast} data-kind={toast.kind} role={toast.kind === "error" ? "alert" : undefined}>
      <Icon aria-hidden />
      <p>{toast.text}</p>
      {toast.action && (
        <Button
          size="s"
          onClick={() => {
            dismiss(toast.id)
            toast.action?.run()
          }}
        >
          {toast.action.label}
        </Button>
      )}
      <IconButton label="Dismiss" size="s" icon={<X />} noTip onClick={() => dismiss(toast.id)} />
    </div>
  )
}
