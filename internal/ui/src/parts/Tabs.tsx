import { Tabs as Radix } from "radix-ui"
import type { ReactNode } from "react"
import { Count } from "./Badge"
import styles from "./Tabs.module.css"

export interface Tab {
  id: string
  title: string
  count?: number
  content: ReactNode
}

/** Panels of which one shows. Only the one that shows is there. */
export function Tabs({ label, tabs, value, onChange }: { label: string; tabs: readonly Tab[]; value?: string; onChange?(id: string): void }) {
  return (
    <Radix.Root className={styles.root} value={value} defaultValue={value === undefined ? tabs[0]?.id : undefined} onValueChange={onChange}>
      <Radix.List className={styles.list} aria-label={label}>
        {tabs.map(tab => (
          <Radix.Trigger key={tab.id} value={tab.id} className={styles.tab}>
            {tab.title}
            {tab.count !== undefined && <Count n={tab.count} of={tab.title.toLowerCase()} />}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map(tab => (
        <Radix.Content key={tab.id} value={tab.id} className={styles.panel}>
          {tab.content}
        </Radix.Content>
      ))}
    </Radix.Root>
  )
}
