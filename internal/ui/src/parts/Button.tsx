import type { ComponentProps, ReactNode } from "react"
import styles from "./Button.module.css"
import { cx } from "./classes"
import { Spinner } from "./Spinner"

export interface ButtonProps extends ComponentProps<"button"> {
  /** Default "plain". */
  variant?: "plain" | "primary" | "danger" | "ghost"
  size?: "s" | "m"
  icon?: ReactNode
  /** Something is under way: the button waits, and says so. */
  busy?: boolean
}

/** A button. It never submits a form unless it says type="submit". */
export function Button({ variant = "plain", size = "m", icon, busy = false, className, children, disabled, type = "button", ...rest }: ButtonProps) {
  return (
    <button type={type} className={cx(styles.button, styles[variant], styles[size], className)} disabled={disabled || busy} aria-busy={busy || undefined} {...rest}>
      {busy ? <Spinner /> : icon}
      {children}
    </button>
  )
}
