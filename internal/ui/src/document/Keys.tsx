import { Dialog, Kbd } from "../parts"
import css from "./dialogs.module.css"

const keys: readonly [group: string, keys: readonly [keys: string, what: string][]][] = [
  [
    "In the list",
    [
      ["ArrowDown", "next block, with Shift the selection grows"],
      ["Enter", "edit, or open a card"],
      ["Mod+Enter", "new block below"],
      ["Space", "fold"],
      ["Alt+ArrowUp", "move up; with the down arrow down"],
      ["Alt+ArrowRight", "indent; with the left arrow outdent"],
      ["Tab", "into the block, to its links and buttons"],
      ["Shift+F10", "what can be done with the block"],
      ["Delete", "delete"],
      ["Mod+Z", "undo what you did last, step by step"],
      ["Shift+Mod+Z", "redo"],
      ["Mod+C", "copy as Markdown"],
      ["Mod+A", "select all"],
      ["Mod+F", "find in this context"],
    ],
  ],
  [
    "In a block",
    [
      ["Mod+Enter", "new block below"],
      ["Shift+Mod+Enter", "split at the caret"],
      ["Backspace", "at the start: join with the block above"],
      ["Escape", "leave the text"],
    ],
  ],
]

/** The keys of a context. */
export function Keys({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keys" reading onClose={onClose}>
      {keys.map(([group, list]) => (
        <section key={group} className={css.keys}>
          <h3>{group}</h3>
          <dl>
            {list.map(([key, what]) => (
              <div key={key}>
                <dt>
                  <Kbd keys={key} />
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  )
}
