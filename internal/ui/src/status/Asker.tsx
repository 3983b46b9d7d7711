import { colourOf } from "../core/actors"
import { Avatar } from "../parts"
import styles from "./Requests.module.css"

/** Who asks. */
export function Asker({ name, kind = "agent" }: { name: string; kind?: "agent" | "person" | "service" | "unknown" }) {
  return (
    <span className={styles.asker}>
      <Avatar name={name || "?"} kind={kind} hue={colourOf(name)} size={22} label="" />
      <b>{name || "Somebody"}</b>
    </span>
  )
}
