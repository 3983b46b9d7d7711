import { Popover as Radix } from "radix-ui"
import type { ReactElement, ReactNode } from "react"
import styles from "./Overlay.module.css"

export interface PopoverProps {
  trigger: ReactElement
  /** Its name. */
  label: string
  align?: "start" | "center" | "end"
  side?: "top" | "right" | "bottom" | "left"
  open?: boolean
  onOpenChange?(open: boolean): void
  children: ReactNode
}

/** A small panel beside a button; the page stays alive while it is open. */
export function Popover({ trigger, label, align = "center", side, open, onOpenChange, children }: PopoverProps) {
  return (
    <Radix.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles.popover} align={align} side={side} sideOffset={6} collisionPadding={8} aria-label={label}>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
