// What stands in a place whose content is under way, went wrong, or is not
// there for whoever looks.

import { CloudOff, Lock, TriangleAlert } from "lucide-react"
import type { ReactNode } from "react"
import { Refused, Unreachable } from "../core/ops"
import { Button, Empty, Spinner } from "../parts"
import { wordsOf } from "./deeds"
import styles from "./git.module.css"

interface Asked {
  data: unknown
  error: Error | null
  loading: boolean
  reload(): void
}

/** Shows what an operation answered, or else why it did not. What is there stays while the server is away. */
export function State({ of, what, children }: { of: Asked; what: string; children: ReactNode }) {
  const { data, error } = of
  if (data !== undefined) {
    return (
      <>
        {error && (
          <p className={styles.stale} role="status">
            <CloudOff aria-hidden /> {error instanceof Unreachable ? "The server is away. What you see is from before." : wordsOf(error)}
            <Button size="s" onClick={of.reload}>Try again</Button>
          </p>
        )}
        {children}
      </>
    )
  }
  if (!error) return <div className={styles.waiting}><Spinner label={`Reading ${what}`} large /></div>
  const again = <Button onClick={of.reload}>Try again</Button>
  if (error instanceof Unreachable) return <Empty icon={<CloudOff aria-hidden />} title="The server is away" action={again}>{`Without it ${what} cannot be read.`}</Empty>
  if (error instanceof Refused && error.kind === "denied") return <Empty icon={<Lock aria-hidden />} title="Not for you">{wordsOf(error)}</Empty>
  return <Empty icon={<TriangleAlert aria-hidden />} title={`Cannot read ${what}`} action={again}>{wordsOf(error)}</Empty>
}
