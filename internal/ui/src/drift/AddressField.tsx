// A field for the address of a context, with what it may mean below it.

import { useEffect, useId, useMemo, useRef, useState } from "react"
import { cx } from "../parts"
import css from "./AddressField.module.css"
import { suggested, type Suggestion } from "./addresses"
import { useContexts } from "./contexts"

/** What is in the field: what was typed, or a context that was chosen. */
export interface Address {
  text: string
  /** What the operation is given. */
  address: string
}

export const noAddress: Address = { text: "", address: "" }

interface Props {
  label: string
  value: Address
  onChange(value: Address): void
  /** The context that cannot be meant. */
  own: string
  /** What the server says of it. */
  error?: string | null
  autoFocus?: boolean
}

export function AddressField({ label, value, onChange, own, error, autoFocus }: Props) {
  const id = useId()
  const { targets, kernels } = useContexts()
  const [open, setOpen] = useState(false)
  const [at, setAt] = useState(-1)
  const list = useRef<HTMLUListElement>(null)
  const chosen = value.address !== value.text
  const found = useMemo(() => suggested(targets, kernels, chosen ? "" : value.text, own), [targets, kernels, chosen, value.text, own])
  const shows = open && found.length > 0

  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: "nearest" })
  }, [at])

  const choose = (s: Suggestion) => {
    onChange({ text: s.name, address: s.address })
    setOpen(s.open)
    setAt(-1)
  }
  const key = (e: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[e.key]
    if (step) {
      e.preventDefault()
      setOpen(true)
      setAt(n => (shows ? (n + step + found.length + (n < 0 && step < 0 ? 1 : 0)) % found.length : 0))
    } else if (e.key === "Enter" && shows && found[at]) {
      e.preventDefault()
      choose(found[at])
    } else if (e.key === "Escape" && shows) {
      // The list goes, not the dialog around it.
      e.preventDefault()
      e.stopPropagation()
      setOpen(false)
    }
  }
  return (
    <div className={css.field} onBlur={e => !e.currentTarget.contains(e.relatedTarget) && setOpen(false)}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        role="combobox"
        autoComplete="off"
        spellCheck={false}
        autoFocus={autoFocus}
        placeholder="A title, a label, a short id, or .parent"
        aria-expanded={shows}
        aria-controls={`${id}list`}
        aria-autocomplete="list"
        aria-activedescendant={shows && at >= 0 ? `${id}o${at}` : undefined}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? `${id}e` : undefined}
        className={css.input}
        value={value.text}
        onChange={e => {
          onChange({ text: e.target.value, address: e.target.value.trim() })
          setOpen(true)
          setAt(-1)
        }}
        onFocus={e => e.target.select()}
        onClick={() => setOpen(true)}
        onKeyDown={key}
      />
      <ul id={`${id}list`} ref={list} role="listbox" aria-label={`Suggestions: ${label}`} hidden={!shows} className={css.list}>
        {shows &&
          found.map((s, n) => (
            <li key={s.address} id={`${id}o${n}`} role="option" aria-selected={n === at} className={cx(css.option, n === at && css.at)} onPointerDown={e => e.preventDefault()} onClick={() => choose(s)}>
              <span>{s.name}</span>
              <code>{s.detail}</code>
            </li>
          ))}
      </ul>
      {error && (
        <p id={`${id}e`} className={css.error} role="alert">
          {error}
        </p>
      )}
    </div>
  )
}
