// Waiting until the server has what was written here.

import type { Link } from "./link"
import type { ContextModel } from "./model"
import { watchLight } from "./saved"

/** How long `settled` waits at most, in milliseconds. */
const settleMillis = 3000

/** Resolves when everything of a context is saved, or after a moment when that cannot be. */
export function settled(model: ContextModel, link: Link): Promise<void> {
  return new Promise(resolve => {
    let stop: (() => void) | undefined
    const end = () => {
      clearTimeout(timer)
      stop?.()
      resolve()
    }
    const timer = setTimeout(end, settleMillis)
    stop = watchLight(model, link, light => light.state === "saved" && queueMicrotask(end))
  })
}
