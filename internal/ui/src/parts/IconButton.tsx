import type { ComponentProps, ReactNode } from "react"
import styles from "./Button.module.css"
import { cx } from "./classes"
import { Tooltip } from "./Tooltip"

export interface IconButtonProps extends Omit<ComponentProps<"button">, "children"> {
  /** What it does: its name for those who do not see the icon, and its tip. */
  label: string
  icon: ReactNode
  /** The key that does the same, such as "Mod+K". */
  keys?: string
  size?: "s" | "m"
  /** Given: it is a switch, and this says whether it is on. */
  pressed?: boolean
  /** For a button that opens a menu, whose tip would lie over it. */
  noTip?: boolean
}

/** A button that is only an icon; its label shows as a tip. */
export function IconButton({ label, icon, keys, size = "m", pressed, noTip = false, className, type = "button", ...rest }: IconButtonProps) {
  const button = (
    <button type={type} aria-label={label} aria-pressed={pressed} className={cx(styles.button, styles.ghost, styles.icon, styles[size], className)} {...rest}>
      {icon}
    </button>
  )
  return noTip ? button : (
    <Tooltip text={label} keys={keys}>
      {button}
    </Tooltip>
  )
}
