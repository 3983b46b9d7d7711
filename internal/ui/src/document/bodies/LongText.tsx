import { useDoc, useRowState } from "../doc-context"
import { headOf, moreChars, slabs, tailOf } from "../long"
import { size } from "../words"
import css from "./bodies.module.css"

/** Words as they are, in the type of machines. A long text shows in part, and of one that still grows the end. */
export function LongText({ id, text, running = false }: { id: string; text: string; running?: boolean }) {
  const { state } = useDoc()
  const asked = useRowState(id, s => s.shown(id))
  const part = running && asked === 0 ? tailOf(text) : headOf(text, asked)
  const more = () => state.show(id, part.text.length + moreChars)
  return (
    <>
      {running && part.left > 0 && <p className={css.left}>{size(part.left)} above</p>}
      <pre className={css.mono} tabIndex={0} role="group" aria-label="Output">
        {slabs(part.text).map((slab, n) => (
          <span key={n} className={css.slab}>
            {slab}
          </span>
        ))}
      </pre>
      {!running && part.left > 0 && (
        <button type="button" className={css.more} onClick={more}>
          {part.left <= moreChars ? "Show all" : `Show ${size(moreChars)} more`} <span className={css.left}>({size(part.left)} hidden)</span>
        </button>
      )}
      {!running && asked > 0 && part.text.length > 8000 && (
        <button type="button" className={css.more} onClick={() => state.show(id, 0)}>
          Show less
        </button>
      )}
    </>
  )
}
