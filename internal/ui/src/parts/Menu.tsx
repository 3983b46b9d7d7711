import { Check } from "lucide-react"
import { ContextMenu as RadixContext, DropdownMenu as Radix } from "radix-ui"
import type { ReactElement, ReactNode } from "react"
import { Kbd } from "./Kbd"
import styles from "./Overlay.module.css"

/** One thing to choose; "-" is a line between groups, and {heading} a word above one. */
export type MenuItem =
  | "-"
  | { heading: string }
  | {
      label: string
      run(): void
      icon?: ReactNode
      keys?: string
      danger?: boolean
      disabled?: boolean
      /** Given: it is a choice, and this says whether it is taken. */
      checked?: boolean
    }

export interface MenuProps {
  items: readonly (MenuItem | false | null | undefined)[]
  /** What opens it: a button. */
  trigger: ReactElement
  align?: "start" | "center" | "end"
  side?: "top" | "right" | "bottom" | "left"
  label?: string
  open?: boolean
  onOpenChange?(open: boolean): void
}

/** A menu below a button. The page stays alive while it is open. */
export function Menu({ items, trigger, align = "end", side, label, open, onOpenChange }: MenuProps) {
  return (
    <Radix.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className={styles.menu} align={align} side={side} sideOffset={4} collisionPadding={8} aria-label={label}>
          <Items items={items} kit={Radix} />
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** The same by the right mouse button, on what it wraps. */
export function ContextMenu({ items, label, children }: { items: MenuProps["items"]; label?: string; children: ReactElement }) {
  return (
    <RadixContext.Root modal={false}>
      <RadixContext.Trigger asChild>{children}</RadixContext.Trigger>
      <RadixContext.Portal>
        <RadixContext.Content className={styles.menu} collisionPadding={8} aria-label={label}>
          <Items items={items} kit={RadixContext} />
        </RadixContext.Content>
      </RadixContext.Portal>
    </RadixContext.Root>
  )
}

type Kit = Pick<typeof Radix, "Item" | "CheckboxItem" | "Separator" | "Label">

function Items({ items, kit }: { items: MenuProps["items"]; kit: Kit }) {
  const marked = items.some(i => typeof i === "object" && i !== null && "run" in i && (i.icon || i.checked !== undefined))
  return items.map((item, n) => {
    if (!item) return null
    if (item === "-") return <kit.Separator key={n} className={styles.rule} />
    if ("heading" in item) return <kit.Label key={n} className={styles.heading}>{item.heading}</kit.Label>
    const inner = (
      <>
        {item.checked ? <Check aria-hidden /> : (item.icon ?? (marked && <span className={styles.gutter} />))}
        <span className={styles.label}>{item.label}</span>
        {item.keys && <Kbd keys={item.keys} />}
      </>
    )
    const common = { className: styles.item, disabled: item.disabled, onSelect: () => item.run(), "data-danger": item.danger || undefined }
    return item.checked === undefined ? (
      <kit.Item key={n} {...common}>{inner}</kit.Item>
    ) : (
      <kit.CheckboxItem key={n} {...common} checked={item.checked}>{inner}</kit.CheckboxItem>
    )
  })
}
