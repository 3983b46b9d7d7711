import { useEffect, useState, type ReactNode } from "react"
import { colourOf } from "../core/actors"
import { cx, hueClass } from "../parts"
import type { Line } from "./answers"
import { askBlame } from "./blame"
import { wordsOf } from "./deeds"
import { lineBy } from "./words"
import styles from "./Writers.module.css"

/** Code to read, with who wrote each line beside it: for files that no editor is open for. */
export function Writers({ path, text, children }: { path: string; text: string; children: ReactNode }) {
  const [known, setKnown] = useState<{ path: string; lines: readonly Line[] } | null>(null)
  const [problem, setProblem] = useState("")
  useEffect(() => {
    const stop = new AbortController()
    askBlame(path, stop.signal).then(
      lines => !stop.signal.aborted && (setKnown({ path, lines }), setProblem("")),
      (err: unknown) => !stop.signal.aborted && setProblem(wordsOf(err)),
    )
    return () => stop.abort()
  }, [path, text])
  const lines = known?.path === path ? known.lines : []
  const shown = text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
  return (
    <>
      {problem && <p className={styles.problem} role="status">{problem}</p>}
      <div className={styles.beside}>
        <div className={styles.names} aria-label="Who wrote each line" role="group">
          {lines.slice(0, shown).map((line, n) => {
            const { name, how } = lineBy(line)
            const first = n === 0 || lineBy(lines[n - 1]!).name !== name
            return (
              <span key={line.line} className={cx("kj-blame", styles.name, hueClass(colourOf(name)))} data-source={line.source} title={how}>
                {first ? name : "\u200b"}
              </span>
            )
          })}
        </div>
        <div className={styles.code}>{children}</div>
      </div>
    </>
  )
}
