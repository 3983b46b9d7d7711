import { ArrowUp, X } from "lucide-react"
import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type Ref } from "react"
import { cx, IconButton } from "../parts"
import { draftOf, keepDraft } from "./draft"
import { startsFor, type Start } from "./kinds"
import css from "./composer.module.css"

export interface ComposerProps {
  /** Adds what was written; false leaves the words where they are. */
  onAdd(text: string, start?: Start): boolean
  /** Given: it can be closed. */
  onClose?(): void
  /** The keyboard wants to go up into the list. */
  onUp?(): void
  label: string
  placeholder: string
  autoFocus?: boolean
  /** What is written is of one kind: a slash is a slash. */
  plain?: boolean
  /** Under this name what is not added yet is kept in the browser. */
  draft?: string
  ref?: Ref<HTMLTextAreaElement>
}

/** Where new blocks are written. A slash at the start offers what the block may be. */
export function Composer({ onAdd, onClose, onUp, label, placeholder, autoFocus = false, plain = false, draft, ref }: ComposerProps) {
  const [text, setText] = useState(() => (draft ? draftOf(draft) : ""))
  const [start, setStart] = useState<Start | undefined>()
  const [chosen, setChosen] = useState(0)
  const own = useRef<HTMLTextAreaElement | null>(null)
  const list = useId()
  const query = /^\/([\p{L}\d]*)$/u.exec(text)?.[1]
  const offers = query === undefined || plain ? [] : startsFor(query)
  const at = Math.min(chosen, offers.length - 1)
  useEffect(() => void (draft && keepDraft(draft, text)), [draft, text])
  useLayoutEffect(() => {
    const box = own.current
    if (!box || CSS.supports("field-sizing", "content")) return
    box.style.height = "auto"
    box.style.height = `${box.scrollHeight}px`
  }, [text])

  const take = (s: Start) => {
    setStart(s.id === "text" ? undefined : s)
    setText(s.text)
    setChosen(0)
    const caret = s.id === "code" ? 4 : s.text.length
    requestAnimationFrame(() => {
      own.current?.focus()
      own.current?.setSelectionRange(caret, caret)
    })
  }
  const add = () => {
    if (text.trim() === "" || !onAdd(text, start)) return own.current?.focus()
    setText("")
    setStart(undefined)
    own.current?.focus()
  }
  const onKeyDown = (e: KeyboardEvent<HTMLTextAreaElement>) => {
    if (e.nativeEvent.isComposing) return
    e.stopPropagation()
    if (offers.length > 0 && (e.key === "ArrowDown" || e.key === "ArrowUp")) setChosen((at + (e.key === "ArrowDown" ? 1 : offers.length - 1)) % offers.length)
    else if (offers.length > 0 && (e.key === "Enter" || e.key === "Tab")) take(offers[at]!)
    else if (e.key === "Enter" && !e.shiftKey) add()
    else if (e.key === "Escape" && offers.length > 0) setText("")
    else if (e.key === "Escape" && onClose) onClose()
    else if (e.key === "Escape") own.current?.blur()
    else if (e.key === "Backspace" && text === "" && start) setStart(undefined)
    else if (e.key === "ArrowUp" && text === "" && onUp) onUp()
    else return
    e.preventDefault()
  }
  return (
    <div className={css.composer}>
      {start && start.kind !== "text" && (
        <span className={css.kind}>
          {start.icon}
          {start.label}
        </span>
      )}
      <textarea
        ref={el => {
          own.current = el
          if (typeof ref === "function") ref(el)
          else if (ref) ref.current = el
        }}
        className={css.box}
        rows={1}
        value={text}
        placeholder={placeholder}
        aria-label={label}
        role={offers.length > 0 ? "combobox" : undefined}
        aria-expanded={offers.length > 0 ? true : undefined}
        aria-controls={offers.length > 0 ? list : undefined}
        aria-activedescendant={offers.length > 0 ? `${list}-${at}` : undefined}
        autoFocus={autoFocus}
        onChange={e => setText(e.target.value)}
        onKeyDown={onKeyDown}
        onBlur={e => text === "" && !e.currentTarget.parentElement?.contains(e.relatedTarget) && onClose?.()}
      />
      {onClose && <IconButton size="s" label="Close" icon={<X />} onClick={onClose} />}
      <IconButton size="s" label="Add block" keys="Enter" icon={<ArrowUp />} className={cx(css.add, text.trim() !== "" && css.ready)} onClick={add} />
      {offers.length > 0 && (
        <ul id={list} className={css.offers} role="listbox" aria-label="What it is">
          {offers.map((s, n) => (
            <li key={s.id} id={`${list}-${n}`} role="option" aria-selected={n === at} onMouseDown={e => (e.preventDefault(), take(s))} onMouseEnter={() => setChosen(n)}>
              <span className={css.offerIcon}>{s.icon}</span>
              {s.label}
              <span className={css.hint}>{s.hint}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
