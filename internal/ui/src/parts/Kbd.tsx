import styles from "./Small.module.css"

const mac = typeof navigator !== "undefined" && /Mac|iP(hone|ad|od)/.test(navigator.platform)

const marks: Record<string, string> = mac
  ? { Mod: "⌘", Alt: "⌥", Shift: "⇧", Ctrl: "⌃", Enter: "↩", Backspace: "⌫", Escape: "Esc" }
  : { Mod: "Ctrl", Enter: "↵", Backspace: "⌫", Escape: "Esc" }
const arrows: Record<string, string> = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", " ": "Space" }

/** A key of a combination as this machine writes it: "Mod" is ⌘ or Ctrl. */
export const keyName = (key: string): string => marks[key] ?? arrows[key] ?? (key.length === 1 ? key.toUpperCase() : key)

/** A combination such as "Mod+Shift+K" in parts; "+" may be a key itself. */
export const keysOf = (keys: string): string[] => keys.split(/\+(?!$)/)

/** Keys to press, drawn. */
export function Kbd({ keys }: { keys: string }) {
  return (
    <span className={styles.keys}>
      {keysOf(keys).map((key, n) => (
        <kbd key={n} className={styles.key}>
          {keyName(key)}
        </kbd>
      ))}
    </span>
  )
}
