import type { Extension } from "@codemirror/state"
import { useEffect, useState, useSyncExternalStore } from "react"
import { askBlame, blameSwitch } from "./blame"

/** Whether the writers of a file's lines are to be shown. */
export const useBlameOn = (path: string | null): boolean => useSyncExternalStore(blameSwitch.subscribe, () => path !== null && blameSwitch.has(path), () => false)

/**
 * The writers of a file's lines, as a gutter of its editor; null while that is
 * off or nothing is known. Without `on` it is what FileHeader's switch says.
 * `stamp` is anything that is another when the file was edited: who wrote it is
 * asked again some time after.
 */
export function useFileBlame(path: string | null, on?: boolean, stamp?: unknown): Extension | null {
  const switched = useBlameOn(path)
  const wanted = path !== null && path !== "" && (on ?? switched)
  const [gutter, setGutter] = useState<{ path: string; extension: Extension } | null>(null)
  const [quiet, setQuiet] = useState(stamp)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(() => stamp), quietMillis)
    return () => clearTimeout(timer)
  }, [stamp])
  useEffect(() => {
    if (!wanted || !path) return setGutter(null)
    const stop = new AbortController()
    Promise.all([askBlame(path, stop.signal), import("./blameGutter")]).then(
      ([lines, { blameGutter }]) => !stop.signal.aborted && setGutter({ path, extension: blameGutter(lines) }),
      () => undefined, // the gutter stays as it was; the header says what is wrong
    )
    return () => stop.abort()
  }, [wanted, path, quiet])
  return gutter && gutter.path === path ? gutter.extension : null
}

/** How long a file is left alone before it is asked again who wrote it, in milliseconds. */
const quietMillis = 2000
