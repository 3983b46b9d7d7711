import { useState, type ComponentType } from "react"
import css from "./bodies.module.css"

/** How many outcomes of a call show at first, and how many more each time. */
const portion = 40

/** What came of a call, some at a time: a call may have thousands of results. */
export function Outcomes({ results, of: One }: { results: readonly string[]; of: ComponentType<{ id: string }> }) {
  const [most, setMost] = useState(portion)
  const left = results.length - most
  return (
    <>
      {results.slice(0, most).map(id => (
        <One key={id} id={id} />
      ))}
      {left > 0 && (
        <button type="button" className={css.more} onClick={() => setMost(most + portion)}>
          Show more: {left.toLocaleString("en")} left
        </button>
      )}
    </>
  )
}
