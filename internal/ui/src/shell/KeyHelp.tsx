import { useState } from "react"
import { allCommands } from "../core/commands"
import { Dialog, Kbd } from "../parts"
import { closeDialog } from "./opened"
import styles from "./Dialogs.module.css"

/** Keys that are no commands because they mean something only where the focus is. */
const there: [group: string, keys: [keys: string[], what: string][]][] = [
  ["In the list of blocks", [
    [["ArrowUp", "ArrowDown"], "Select"],
    [["Shift+ArrowUp", "Shift+ArrowDown"], "Select more"],
    [["Enter"], "Edit"],
    [["Alt+ArrowUp", "Alt+ArrowDown"], "Move"],
    [["Alt+ArrowRight", "Alt+ArrowLeft"], "Indent, outdent"],
    [["Tab"], "Into the block"],
    [["Shift+F10"], "Menu of the block"],
    [[" "], "Fold"],
    [["Delete"], "Delete"],
    [["Mod+Z", "Shift+Mod+Z"], "Undo, redo"],
  ]],
  ["While editing", [
    [["Mod+Enter"], "New block below"],
    [["Shift+Mod+Enter"], "Split at the caret"],
    [["Backspace"], "At the start: merge with the block above"],
    [["Escape"], "Leave the editor"],
  ]],
]

/** The keys, as the commands have them. */
export function KeyHelp() {
  const [groups] = useState(() => {
    const by = new Map<string, [keys: string[], what: string][]>()
    for (const c of allCommands()) if (c.keys) by.set(c.group, [...(by.get(c.group) ?? []), [[c.keys], c.title]])
    return [...by, ...there.filter(([group]) => !by.has(group))]
  })
  return (
    <Dialog title="Keyboard" width="l" reading onClose={closeDialog}>
      <div className={styles.keys}>
        {groups.map(([group, keys]) => (
          <section key={group} className={styles.group}>
            <h3>{group}</h3>
            <dl>
              {keys.map(([combinations, what]) => (
                <div key={what}>
                  <dt>{what}</dt>
                  <dd>
                    {combinations.map(c => (
                      <Kbd key={c} keys={c} />
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}
