// How the sidebar stands: beside the page, or on narrow screens over it.

import { useEffect, useState, useSyncExternalStore } from "react"
import { preference } from "../parts"

const isWidth = (v: unknown): v is number => typeof v === "number" && v >= minWidth && v <= maxWidth
const isBoolean = (v: unknown): v is boolean => typeof v === "boolean"

export const minWidth = 200
export const maxWidth = 460
export const sidebarWidth = preference("kj.sidebar.width", 264, isWidth)
/** Whether it stands beside the page, where there is room. */
export const sidebarShown = preference("kj.sidebar", true, isBoolean)

const narrow = typeof matchMedia === "undefined" ? null : matchMedia("(max-width: 760px)")

/** Whether there is no room for the sidebar beside the page. */
export const useNarrow = (): boolean =>
  useSyncExternalStore(
    fn => {
      narrow?.addEventListener("change", fn)
      return () => narrow?.removeEventListener("change", fn)
    },
    () => narrow?.matches ?? false,
    () => false,
  )

/** Whether the drawer is open; it closes when another page is shown. */
export function useDrawer(place: string): [boolean, (open: boolean) => void] {
  const [open, setOpen] = useState(false)
  useEffect(() => setOpen(false), [place])
  return [open && (narrow?.matches ?? false), setOpen]
}
