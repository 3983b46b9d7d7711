// Keys as commands name them: "Mod+K", "Shift+Alt+ArrowUp", "/", "?".

export interface Pressed {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
  code?: string
}

/** Whether Mod is Cmd here. */
export const isMac = typeof navigator !== "undefined" && /mac|iphone|ipad/i.test(navigator.platform)

/** Reports whether a key is pressed that a command names. */
export function isPressed(keys: string, e: Pressed, mac = isMac): boolean {
  const parts = keys.length > 1 ? keys.split(/\+(?!$)/) : [keys]
  const key = parts.pop()!
  const has = (name: string) => parts.includes(name)
  const ctrl = has("Ctrl") || (has("Mod") && !mac)
  const meta = has("Meta") || (has("Mod") && mac)
  if (e.ctrlKey !== ctrl || e.metaKey !== meta || e.altKey !== has("Alt")) return false
  // A sign such as "?" needs Shift on some keyboards and not on others.
  const sign = key.length === 1 && key.toLowerCase() === key.toUpperCase() && !/[0-9]/.test(key)
  if (!sign && e.shiftKey !== has("Shift")) return false
  if (e.key.toLowerCase() === key.toLowerCase()) return true
  return /^[a-z]$/i.test(key) && !/^[a-z]$/i.test(e.key) && e.code === `Key${key.toUpperCase()}` // another alphabet, or Alt that makes signs
}

/** Reports whether keys are what somebody may be typing as text. */
export const isTyping = (keys: string) => !/(^|\+)(Mod|Ctrl|Meta|Alt)\+/.test(keys) && !/^F[0-9]{1,2}$/.test(keys)
