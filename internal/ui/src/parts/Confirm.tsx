import { useSyncExternalStore, type ReactNode } from "react"
import { Button } from "./Button"
import { Dialog } from "./Dialog"
import styles from "./Dialog.module.css"

export interface ConfirmProps {
  title: string
  /** What will happen. */
  text?: ReactNode
  /** What the button says: the verb. Default "Continue". */
  verb?: string
  danger?: boolean
  busy?: boolean
  onConfirm(): void
  onCancel(): void
}

/** A question before something is done that is not easily taken back. */
export function Confirm({ title, text, verb = "Continue", danger = false, busy = false, onConfirm, onCancel }: ConfirmProps) {
  const buttons = (
    <>
      <Button onClick={onCancel} autoFocus={danger}>Cancel</Button>
      <Button variant={danger ? "danger" : "primary"} busy={busy} onClick={onConfirm} autoFocus={!danger}>{verb}</Button>
    </>
  )
  return (
    <Dialog title={title} width="s" onClose={onCancel} footer={buttons}>
      {text && <div className={styles.text}>{text}</div>}
    </Dialog>
  )
}

type Question = Omit<ConfirmProps, "onConfirm" | "onCancel" | "busy">

let asked: { question: Question; answer(yes: boolean): void } | null = null
const listeners = new Set<() => void>()
const tell = () => listeners.forEach(fn => fn())

/** Asks, by the <Questions> of the page; resolves to the answer. A second question answers the first with no. */
export function ask(question: Question): Promise<boolean> {
  asked?.answer(false)
  return new Promise(resolve => {
    const mine = { question, answer }
    function answer(yes: boolean) {
      if (asked === mine) {
        asked = null
        tell()
      }
      resolve(yes)
    }
    asked = mine
    tell()
  })
}

/** The question that is asked now. Once in a page. */
export function Questions() {
  const now = useSyncExternalStore(subscribe, () => asked, () => null)
  return now && <Confirm {...now.question} onConfirm={() => now.answer(true)} onCancel={() => now.answer(false)} />
}

function subscribe(fn: () => void): () => void {
  listeners.add(fn)
  return () => listeners.delete(fn)
}
