import { ShieldAlert, X } from "lucide-react"
import { useState } from "react"
import { markDiscarded } from "../core/discard"
import type { Link } from "../core/link"
import { readRefusal, refusedTexts } from "../core/refused"
import { ask, Button, IconButton, toast } from "../parts"
import { useContextList } from "./contextlist"
import { nameOf } from "./rows"
import { useShown } from "./shown"
import styles from "./App.module.css"

/** Says what the server refused. What one had no right to write can be taken along and thrown away. */
export function RefusedBanner({ link, onDismiss }: { link: Link; onDismiss(): void }) {
  const { rows } = useContextList()
  const here = useShown()?.handle.documentId
  const [busy, setBusy] = useState(false)
  const refusal = readRefusal(link.refusal)
  const row = rows.find(r => r.url === `automerge:${refusal?.document}`)
  const where = refusal?.document === here ? "here" : row ? `in “${nameOf(row)}”` : "in another document"
  const discard = async () => {
    setBusy(true)
    try {
      if (refusal) await copyAndDiscard(link, refusal.document)
    } catch (err) {
      toast({ text: `It could not be discarded: ${err instanceof Error ? err.message : String(err)}`, kind: "error" })
    }
    setBusy(false)
  }
  return (
    <div className={`${styles.banner} ${styles.refused} refusal`} role="alert">
      <ShieldAlert aria-hidden />
      <p title={refusal ? link.refusal : undefined}>{refusal ? `The server did not take what you wrote ${where}: ${refusal.why}.` : link.refusal}</p>
      {refusal && (
        <Button size="s" busy={busy} onClick={() => void discard()}>
          Copy and discard
        </Button>
      )}
      <IconButton label="Dismiss" size="s" icon={<X />} noTip onClick={onDismiss} />
    </div>
  )
}

/** Puts what was refused on the clipboard, and opens the document as the server has it. */
async function copyAndDiscard(link: Link, id: string): Promise<void> {
  const handle = link.repo.handles[id as keyof typeof link.repo.handles]
  const text = handle ? refusedTexts(handle) : ""
  const { copyText } = await import("../document/clipboard")
  const copied = text === "" || (await copyText(text))
  if (!copied && !(await ask({ title: "Discard without a copy?", text: "The browser does not allow copying. What the server did not take would be lost.", verb: "Discard", danger: true }))) return
  markDiscarded(id, localStorage)
  await link.repo.flush()
  location.reload()
}
