// What can be done with drift in the context that is shown.

import { useEffect } from "react"
import { useCommands } from "../core/commands"
import type { ContextModel } from "../core/model"
import { toast } from "../parts"
import { citeLines, selectedLines, watchSelection } from "./citeLines"
import { openMerge, openPull, openPush } from "./dialogs"

/** `chosen` says which blocks are selected in the list; who may not `write` here takes nothing in. */
export function useDriftCommands(model: ContextModel | null, chosen: () => readonly string[], write = true): void {
  useEffect(watchSelection, [])
  useCommands(() => {
    if (!model) return []
    const ids = chosen()
    return [
      { id: "drift.push", title: ids.length > 0 ? "Push the selected blocks to…" : "Push to…", group: "Drift", hint: "hand something on to another context", run: () => openPush({ model, ids: chosen() }) },
      ...(write ? [{ id: "drift.pull", title: "Pull from…", group: "Drift", hint: "ask another context", run: () => openPull({ model }) }] : []),
      { id: "drift.merge", title: "Merge into parent…", group: "Drift", hint: "tell the parent what came of this fork", run: () => openMerge({ model }) },
      { id: "drift.cite", title: "Cite these lines", group: "Drift", hint: "copy a citation of what is selected", run: () => void cite(model, chosen()) },
    ]
  }, [model, chosen, write])
}

async function cite(model: ContextModel, ids: readonly string[]): Promise<void> {
  const lines = (await selectedLines(model)) ?? (ids[0] ? { block: ids[0] } : null)
  if (lines) await citeLines(model, lines)
  else toast("Select some lines of a block first.")
}
