// What waits for an answer: questions of agents and people, and drifts of other
// kernels that are held for consent.

import { Bell, BellOff, CloudOff, MessageCircleQuestion } from "lucide-react"
import { useRef, useState } from "react"
import { Unreachable } from "../core/ops"
import { Button, Empty, Spinner } from "../parts"
import { useKeptFocus } from "../parts/useKeptFocus"
import { HeldCard } from "./HeldCard"
import { allow, allowed } from "./notify"
import { QuestionCard } from "./QuestionCard"
import styles from "./Requests.module.css"
import { useRequests } from "./useRequests"
import { wordsOf } from "./words"

export default function RequestsView() {
  const { questions, held, error, known, reload } = useRequests()
  const [notes, setNotes] = useState(allowed)
  const away = error instanceof Unreachable
  const view = useRef<HTMLElement>(null)
  useKeptFocus(view, "li")
  return (
    <section ref={view} className={styles.view} aria-label="Requests">
      <div className={styles.inner}>
        <header className={styles.head}>
          <h1>Requests</h1>
          {notes !== "never" && (
            <Button
              variant="ghost"
              size="s"
              icon={notes === "yes" ? <Bell aria-hidden /> : <BellOff aria-hidden />}
              disabled={notes === "no"}
              title={notes === "no" ? "This browser was told not to: allow it in its settings" : undefined}
              onClick={() => void allow(notes !== "yes").then(setNotes)}
            >
              {notes === "yes" ? "Notifies on the desktop" : "Notify on the desktop"}
            </Button>
          )}
        </header>
        {error && known && (
          <p className={styles.stale} role="status">
            <CloudOff aria-hidden /> {away ? "The server is away. Answers can be given when it is back." : wordsOf(error)}
          </p>
        )}
        {!known && !error && <div className={styles.waiting}><Spinner label="Reading what waits" large /></div>}
        {!known && error && (
          <Empty icon={<CloudOff aria-hidden />} title={away ? "The server is away" : "Cannot read what waits"} action={<Button onClick={reload}>Try again</Button>}>
            {away ? "What waits for an answer is read when it is back." : wordsOf(error)}
          </Empty>
        )}
        {known && questions.length + held.length === 0 && (
          <Empty icon={<MessageCircleQuestion aria-hidden />} title="Nobody waits for you">
            When an agent asks something, or another kernel wants to deliver something that needs consent, it stands here.
          </Empty>
        )}
        <ul className={styles.list}>
          {questions.map(q => <li key={q.block}><QuestionCard question={q} onDone={reload} /></li>)}
          {held.map(h => <li key={h.drift}><HeldCard held={h} onDone={reload} /></li>)}
        </ul>
      </div>
    </section>
  )
}
