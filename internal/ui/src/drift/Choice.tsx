// One of two or three, side by side.

import { useId } from "react"
import css from "./Dialogs.module.css"

interface Props<T extends string> {
  label: string
  value: T
  onChange(value: T): void
  options: readonly { value: T; label: string }[]
}

export function Choice<T extends string>({ label, value, onChange, options }: Props<T>) {
  const name = useId()
  return (
    <fieldset className={css.choice}>
      <legend>{label}</legend>
      <div>
        {options.map(o => (
          <label key={o.value}>
            <input type="radio" name={name} checked={o.value === value} onChange={() => onChange(o.value)} />
            <span>{o.label}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
