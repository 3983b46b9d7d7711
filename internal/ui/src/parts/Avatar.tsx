import { Bot, Server } from "lucide-react"
import { cx } from "./classes"
import styles from "./Small.module.css"

export interface AvatarProps {
  name: string
  /** People are round, agents square. Default "person". */
  kind?: "person" | "agent" | "service" | "unknown"
  /** 0 to 11; absent: none. */
  hue?: number
  /** In pixels. Default 24. */
  size?: number
  status?: "active" | "busy" | "idle"
  /** What to say instead of the name, "" where the name stands beside it. */
  label?: string
}

/** Somebody, as a small coloured mark. */
export function Avatar({ name, kind = "person", hue, size = 24, status, label = name }: AvatarProps) {
  const inner = Math.round(size * 0.58)
  return (
    <span
      className={cx(styles.avatar, kind === "agent" && styles.agent, kind === "service" && styles.service, hue !== undefined && hueClass(hue))}
      style={{ "--size": `${size}px` } as React.CSSProperties}
      role={label ? "img" : undefined}
      aria-label={label || undefined}
      aria-hidden={label ? undefined : true}
      title={label || undefined}
    >
      {kind === "agent" ? <Bot size={inner} aria-hidden /> : kind === "service" ? <Server size={inner} aria-hidden /> : initials(name)}
      {status && <span className={styles.status} data-status={status} />}
    </span>
  )
}

/** The class that sets --hue and --hue-bg for what is inside. */
export const hueClass = (hue: number): string => `hue-${((Math.trunc(hue) % 12) + 12) % 12}`

/** One or two letters for a name: those of its first two words. */
export function initials(name: string): string {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean)
  return words.slice(0, 2).map(w => [...w][0]!.toUpperCase()).join("") || "?"
}
