import type { ContextModel } from "../core/model"
import css from "./context.module.css"

/** What stands where no block is yet. */
export function EmptyContext({ model, mute }: { model: ContextModel; mute: boolean }) {
  if (mute) {
    return (
      <div className={css.empty}>
        <h2>Nothing written yet</h2>
      </div>
    )
  }
  const name = /^[\w][\w .,:-]{0,39}$/.test(model.title) ? (model.title.includes(" ") ? `"${model.title}"` : model.title) : model.url
  return (
    <div className={css.empty}>
      <h2>Nothing written yet</h2>
      <p>Write the first block below, or from a terminal:</p>
      <pre>
        <code>{`kj block create ${name} "Hello from the shell"`}</code>
      </pre>
    </div>
  )
}
