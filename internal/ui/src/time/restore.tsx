// Bringing back a block's text as it was.

import { op } from "../core/ops"
import { ask, toast } from "../parts"
import { DiffView } from "../parts/diff/DiffView"
import type { PastBlock } from "./past"
import { list, record, text } from "./points"
import { say, when } from "./words"

/** What a block says now; null when it does not show any more. */
async function now(context: string, id: string): Promise<string | null> {
  const found = list(record(await op<unknown>("context_get", { context })).block_list).map(record).find(b => b.id === id)
  return found ? text(found.content) : null
}

/** Asks whether a block is to say again what it said, and writes that. Resolves to whether it was. */
export async function restoreBlock(context: string, past: PastBlock, at: number): Promise<boolean> {
  const { id, content } = past.block
  try {
    const current = await now(context, id)
    if (current === content) {
      toast("The block says that now.")
      return false
    }
    const what = current === null ? "The block is deleted. It comes back, and says again:" : "The block will say again what it said then. Others see it at once; undo takes it back."
    const yes = await ask({
      title: `Bring back the text of ${when(at)}?`,
      text: (
        <>
          <p>{what}</p>
          <DiffView before={current ?? ""} after={content} label="What will change" />
        </>
      ),
      verb: "Bring back",
    })
    if (!yes) return false
    if (current === null) await op("block_restore", { context, block_id: id })
    await op("block_replace", { context, block_id: id, content, ...(current !== null && { expected_text: current }) })
    toast({ text: "Brought back.", kind: "ok" })
    return true
  } catch (error) {
    toast({ text: say(error as Error), kind: "error" })
    return false
  }
}
