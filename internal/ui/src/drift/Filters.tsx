import { cx } from "../parts"
import css from "./Views.module.css"

/** A filter that is on or off. */
export function FilterChip({ on, onChange, children }: { on: boolean; onChange(on: boolean): void; children: React.ReactNode }) {
  return (
    <button type="button" className={cx(css.chip, on && css.on)} aria-pressed={on} onClick={() => onChange(!on)}>
      {children}
    </button>
  )
}

/** One of several, or all. */
export function Select({ label, value, onChange, all, options }: { label: string; value: string; onChange(value: string): void; all: string; options: readonly { value: string; label: string }[] }) {
  return (
    <select className={css.select} aria-label={label} value={options.some(o => o.value === value) ? value : ""} onChange={e => onChange(e.target.value)}>
      <option value="">{all}</option>
      {options.map(o => (
        <option key={o.value} value={o.value}>
          {o.label}
        </option>
      ))}
    </select>
  )
}
