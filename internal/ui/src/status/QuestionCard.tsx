import { useId, useMemo, useState, type ChangeEvent } from "react"
import { placeOf } from "../core/directory"
import { op, Refused } from "../core/ops"
import { own } from "../core/own"
import { Button, Check, Field, toast } from "../parts"
import type { Question } from "./answers"
import { Asker } from "./Asker"
import { answerOf, formOf, presets, schemaText, type Field as FormField, type Values } from "./form"
import styles from "./Requests.module.css"
import { TimeLeft } from "./TimeLeft"
import { wordsOf } from "./words"

/** How much of a question shows. */
const maxMessage = 8000

/** A question, with the form of its answer. */
export function QuestionCard({ question: q, onDone }: { question: Question; onDone(): void }) {
  const schema = schemaText(q.schema)
  const form = useMemo(() => (schema === null ? null : formOf(JSON.parse(schema) as unknown)), [schema])
  const [values, setValues] = useState<Values>(() => presets(form ?? []))
  const [json, setJSON] = useState("{}")
  const [wrong, setWrong] = useState<Record<string, string>>({})
  const [doing, setDoing] = useState<"" | "accept" | "decline">("")
  const [error, setError] = useState("")
  const [over, setOver] = useState(false)
  const title = useId()

  const send = async (action: "accept" | "decline", content?: unknown) => {
    setDoing(action)
    setError("")
    try {
      await op("elicit_answer", { context: q.context, block_id: q.block, action, ...(content === undefined ? {} : { content }) })
      toast({ kind: "ok", text: action === "accept" ? "Answered" : "Declined" })
      onDone()
    } catch (err) {
      setError(wordsOf(err))
      if (err instanceof Refused && err.kind === "conflict") onDone() // somebody was faster, or its time is over
    }
    setDoing("")
  }
  const accept = () => {
    if (form === null) {
      try {
        const content: unknown = JSON.parse(json)
        if (typeof content !== "object" || content === null || Array.isArray(content)) throw new Error("an object is asked for")
        return void send("accept", content)
      } catch (err) {
        return setWrong({ "": `This is no JSON of an object: ${(err as Error).message}` })
      }
    }
    const { content, wrong } = answerOf(form, values)
    setWrong(wrong)
    if (Object.keys(wrong).length === 0) void send("accept", content)
  }
  const may = q.answerable && !over
  return (
    <article className={styles.card} aria-labelledby={title}>
      <header className={styles.cardHead}>
        <Asker name={q.by} />
        <span>
          asks in <a href={placeOf(q.context, q.block)}>{q.title || "a context"}</a>
        </span>
        <span className={styles.grow} />
        <TimeLeft until={q.expires} onOver={() => setOver(true)} />
      </header>
      <p className={styles.message} id={title}>{q.message.slice(0, maxMessage)}</p>
      {may && (
        <form
          className={styles.form}
          onSubmit={e => {
            e.preventDefault()
            accept()
          }}
        >
          {form === null ? (
            <>
              <Field label="Answer, as JSON" multiline rows={4} value={json} onChange={e => setJSON(e.target.value)} error={wrong[""] ?? null} spellCheck={false} />
              <details className={styles.schema}>
                <summary>What is asked for</summary>
                <pre>{schemaText(q.schema, 2)?.slice(0, 10_000) ?? "It is too deep to be shown."}</pre>
              </details>
            </>
          ) : (
            form.map(f => <Asked key={f.key} field={f} value={values[f.key]} wrong={own(wrong, f.key) ?? null} onChange={v => setValues(now => ({ ...now, [f.key]: v }))} />)
          )}
          {error && <p className={styles.error} role="alert">{error}</p>}
          <div className={styles.row}>
            <Button variant="primary" type="submit" busy={doing === "accept"} disabled={doing !== ""}>
              {form?.length === 0 ? "Accept" : "Answer"}
            </Button>
            <Button busy={doing === "decline"} disabled={doing !== ""} onClick={() => void send("decline")}>Decline</Button>
          </div>
        </form>
      )}
      {over && <p className={styles.faint}>Its time is over: nobody answered, which is a decline.</p>}
      {!q.answerable && !over && <p className={styles.faint}>You may read it. Whoever may edit the context may answer.</p>}
    </article>
  )
}

function Asked({ field: f, value, wrong, onChange }: { field: FormField; value: string | boolean | undefined; wrong: string | null; onChange(v: string | boolean): void }) {
  const label = f.required || f.kind === "boolean" ? f.title : `${f.title} (may be left out)`
  const text = typeof value === "string" ? value : ""
  switch (f.kind) {
    case "boolean":
      return <Check label={label} hint={f.hint || undefined} checked={value === true} onChange={e => onChange(e.target.checked)} />
    case "choice":
      if (f.choices.length > 6) return <Field label={label} hint={f.hint} error={wrong} choices={[{ value: "", label: "Choose…" }, ...f.choices]} value={text} onChange={(e: ChangeEvent<HTMLSelectElement>) => onChange(e.target.value)} />
      return (
        <fieldset className={styles.choices}>
          <legend>{label}</legend>
          {f.hint && <p className={styles.faint}>{f.hint}</p>}
          {f.choices.map(c => (
            <label key={c.value}>
              <input type="radio" name={f.key} value={c.value} checked={text === c.value} onChange={() => onChange(c.value)} /> {c.label}
            </label>
          ))}
          {wrong && <p className={styles.error} role="alert">{wrong}</p>}
        </fieldset>
      )
    case "number":
      return <Field label={label} hint={f.hint || rangeOf(f.min, f.max)} error={wrong} inputMode={f.whole ? "numeric" : "decimal"} value={text} onChange={e => onChange(e.target.value)} />
    case "text":
      return f.long ? <Field label={label} hint={f.hint} error={wrong} multiline rows={2} value={text} onChange={e => onChange(e.target.value)} /> : <Field label={label} hint={f.hint} error={wrong} value={text} onChange={e => onChange(e.target.value)} />
  }
}

const rangeOf = (min: number | undefined, max: number | undefined): string => (min !== undefined && max !== undefined ? `${min} to ${max}` : min !== undefined ? `From ${min}` : max !== undefined ? `Up to ${max}` : "")
