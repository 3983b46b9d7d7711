import { useId, type ComponentProps, type ReactNode } from "react"
import { cx } from "./classes"
import styles from "./Field.module.css"

interface Common {
  label: string
  /** What it is for, below it. */
  hint?: ReactNode
  /** What is wrong with it. */
  error?: string | null
  className?: string
}
export type FieldProps = Common &
  (
    | ({ multiline?: false; choices?: undefined } & Omit<ComponentProps<"input">, "className">)
    | ({ multiline: true; choices?: undefined } & Omit<ComponentProps<"textarea">, "className">)
    | ({ multiline?: false; choices: readonly { value: string; label: string }[] } & Omit<ComponentProps<"select">, "className" | "children">)
  )

/** A field of a form with its label, a hint, and what is wrong with it. */
export function Field({ label, hint, error, className, ...rest }: FieldProps) {
  const id = useId()
  const about = cx(hint ? `${id}h` : null, error ? `${id}e` : null) || undefined
  const common = { id, "aria-describedby": about, "aria-invalid": error ? true : undefined, className: styles.control } as const
  return (
    <div className={cx(styles.field, className)}>
      <label htmlFor={id}>{label}</label>
      {control(rest as Partial<FieldProps>, common)}
      {hint && <p id={`${id}h`} className={styles.hint}>{hint}</p>}
      {error && <p id={`${id}e`} className={styles.error} role="alert">{error}</p>}
    </div>
  )
}

function control({ multiline, choices, ...rest }: Partial<FieldProps>, common: { id: string; className?: string }) {
  if (choices) {
    return (
      <select {...(rest as ComponentProps<"select">)} {...common}>
        {choices.map(c => <option key={c.value} value={c.value}>{c.label}</option>)}
      </select>
    )
  }
  if (multiline) return <textarea rows={4} {...(rest as ComponentProps<"textarea">)} {...common} />
  return <input type="text" autoComplete="off" {...(rest as ComponentProps<"input">)} {...common} />
}

/** A box to tick, with its words behind it. */
export function Check({ label, hint, className, ...rest }: { label: ReactNode; hint?: ReactNode } & ComponentProps<"input">) {
  return (
    <label className={cx(styles.check, className)}>
      <input type="checkbox" {...rest} />
      <span>
        {label}
        {hint && <span className={styles.hint}>{hint}</span>}
      </span>
    </label>
  )
}
