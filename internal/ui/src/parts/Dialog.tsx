import { X } from "lucide-react"
import { useId, useLayoutEffect, useRef, useState, type ReactNode } from "react"
import { cx } from "./classes"
import styles from "./Dialog.module.css"
import { IconButton } from "./IconButton"

export interface DialogProps {
  /** Default true: render it to open it. */
  open?: boolean
  /** Called when it wants to close: Esc, the cross, a click beside it. */
  onClose(): void
  title: string
  /** Its name where the title is not to be seen. */
  label?: string
  /** No header: the content is all there is. */
  bare?: boolean
  /** 400, 560 or 760 pixels at most. Default "m". */
  width?: "s" | "m" | "l"
  /** At the top of the window instead of in its middle. */
  top?: boolean
  /** It is only read, so the keyboard scrolls it. */
  reading?: boolean
  /** Buttons at the bottom. */
  footer?: ReactNode
  className?: string
  children?: ReactNode
}

/** A modal dialog. The browser keeps the focus inside, and gives it back to where it was. */
export function Dialog({ open = true, onClose, title, label, bare = false, width = "m", top = false, reading = false, footer, className, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [there, setThere] = useState(false)
  useLayoutEffect(() => {
    const dialog = ref.current
    if (!open || !dialog) return
    const before = document.activeElement
    if (!dialog.open) dialog.showModal()
    setThere(true) // what is inside comes into an open dialog: before, autoFocus would find nothing to see
    return () => {
      setThere(false)
      dialog.close()
      // A dialog that is taken out of the page at once does not give the focus back by itself.
      if (before instanceof HTMLElement && before.isConnected && (document.activeElement === document.body || dialog.contains(document.activeElement))) before.focus()
    }
  }, [open])
  if (!open) return null
  return (
    <dialog
      ref={ref}
      role="dialog"
      className={cx(styles.dialog, styles[width], top && styles.top, className)}
      aria-label={bare ? (label ?? title) : label}
      aria-labelledby={bare || label ? undefined : id}
      onCancel={e => {
        e.preventDefault()
        if (e.target === ref.current) onClose()
      }}
      onKeyDown={e => e.key === "Escape" && e.stopPropagation()}
      onPointerDown={e => e.target === ref.current && outside(ref.current, e) && onClose()}
    >
      {there && !bare && (
        <header className={styles.header}>
          <h2 id={id}>{title}</h2>
          <IconButton label="Close" icon={<X />} noTip onClick={onClose} />
        </header>
      )}
      {there && (
        <div className={bare ? styles.bare : styles.body} {...(reading && { tabIndex: 0, role: "group", "aria-label": title })}>
          {children}
        </div>
      )}
      {there && footer && <footer className={styles.footer}>{footer}</footer>}
    </dialog>
  )
}

/** Whether a click on the dialog element itself was on its backdrop. */
function outside(dialog: HTMLDialogElement, e: { clientX: number; clientY: number }): boolean {
  const { left, right, top, bottom } = dialog.getBoundingClientRect()
  return e.clientX < left || e.clientX > right || e.clientY < top || e.clientY > bottom
}
