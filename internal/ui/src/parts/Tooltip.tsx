import { Tooltip as Radix } from "radix-ui"
import type { ReactElement } from "react"
import styles from "./Overlay.module.css"
import { Kbd } from "./Kbd"

/** A word or two about what the pointer or the focus is on. Nothing that is not said elsewhere too: touch never sees it. */
export function Tooltip({ text, keys, side, children }: { text: string; keys?: string; side?: "top" | "right" | "bottom" | "left"; children: ReactElement }) {
  return (
    <Radix.Provider delayDuration={500} skipDelayDuration={200} disableHoverableContent>
      <Radix.Root>
        <Radix.Trigger asChild>{children}</Radix.Trigger>
        <Radix.Portal>
          <Radix.Content className={styles.tip} sideOffset={6} collisionPadding={8} side={side}>
            {text}
            {keys && <Kbd keys={keys} />}
          </Radix.Content>
        </Radix.Portal>
      </Radix.Root>
    </Radix.Provider>
  )
}
