import { CloudOff, RotateCw, ShieldAlert } from "lucide-react"
import { Refused } from "../core/ops"
import { Button, Empty, Spinner } from "../parts"
import { problemOf } from "./useDeed"
import css from "./Views.module.css"

interface Props {
  /** Of an operation that a view shows the answer of. */
  state: { data: unknown; error: Error | null; loading: boolean; reload(): void }
  what: string
}

/** Why a view shows nothing, or something old; nothing where all is well. */
export function Trouble({ state: { data, error, loading, reload }, what }: Props) {
  if (!error && data === undefined && loading)
    return (
      <div className={css.loading}>
        <Spinner large label={`Reading ${what}`} />
      </div>
    )
  if (!error) return null
  const refused = error instanceof Refused
  const Icon = refused ? ShieldAlert : CloudOff
  const text = refused ? problemOf(error).text : "The server cannot be reached. This goes on when it is back."
  const again = (
    <Button size="s" icon={<RotateCw aria-hidden />} busy={loading} onClick={reload}>
      Try again
    </Button>
  )
  if (data === undefined)
    return (
      <Empty icon={<Icon aria-hidden />} title={refused ? "The server refuses this" : "Offline"} action={again}>
        {text}
      </Empty>
    )
  return (
    <div className={css.banner} role="status">
      <Icon aria-hidden size={15} />
      <span>{refused ? text : `The server cannot be reached: this is ${what} as last known.`}</span>
      {again}
    </div>
  )
}
