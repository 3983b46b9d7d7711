import { Plus } from "lucide-react"
import { Composer } from "./Composer"
import { useDoc, useRowState } from "./doc-context"
import css from "./row.module.css"

/** The seam below a block: a "+" that shows under the pointer, and where it was used, a composer. */
export function Between({ id }: { id: string }) {
  const { act, state, rights } = useDoc()
  const open = useRowState(id, s => s.adding === id)
  if (open) {
    return (
      <div className={css.between}>
        <Composer
          autoFocus
          label="New block here"
          placeholder={rights === "comment" ? "Write a comment" : "Write, or / for more"}
          plain={rights === "comment"}
          onClose={() => state.add(null)}
          onAdd={(text, start) => {
            const made = act.insertBehind(id, text, start)
            state.add(made)
            return made !== null
          }}
        />
      </div>
    )
  }
  return (
    <button type="button" className={css.seam} tabIndex={-1} aria-label="Add a block here" onClick={() => state.add(id)}>
      <Plus aria-hidden />
    </button>
  )
}
