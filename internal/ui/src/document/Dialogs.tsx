import { BlockHistory } from "./BlockHistory"
import { DeletedBlocks } from "./DeletedBlocks"
import { Keys } from "./Keys"

/** Which dialog of a context is open. */
export type Shown = { what: "history"; id: string } | { what: "deleted" } | { what: "keys" }

export function Dialogs({ shown, onClose }: { shown: Shown | null; onClose(): void }) {
  if (!shown) return null
  switch (shown.what) {
    case "history":
      return <BlockHistory id={shown.id} onClose={onClose} />
    case "deleted":
      return <DeletedBlocks onClose={onClose} />
    case "keys":
      return <Keys onClose={onClose} />
  }
}
