import { Database, Folder, GitBranch } from "lucide-react"
import { own } from "../core/own"
import { Badge } from "../parts"
import type { Mount } from "./answers"
import styles from "./git.module.css"
import { stateOf } from "./words"

const icons: Record<string, typeof Folder> = { git: GitBranch, memory: Database }

/** The mounts of the kernel, by path, with how each fares. */
export function MountList({ mounts, open, onOpen }: { mounts: readonly Mount[]; open: string; onOpen(path: string): void }) {
  return (
    <ul className={styles.list} aria-label="Mounts">
      {mounts.map(m => {
        const Icon = own(icons, m.kind) ?? Folder
        const { tone, word, why } = stateOf(m)
        return (
          <li key={m.path}>
            <button type="button" className={styles.mount} aria-current={m.path === open || undefined} onClick={() => onOpen(m.path)}>
              <Icon aria-hidden />
              <span className={styles.mountText}>
                <span className={styles.path}>{m.path}</span>
                <span className={styles.faint}>{m.branch || (m.kind === "memory" ? "memory" : m.source)}</span>
              </span>
              <Badge tone={tone} title={why}>{word}</Badge>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
