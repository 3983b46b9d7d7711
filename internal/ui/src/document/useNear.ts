import { useEffect, useState, type FocusEvent, type PointerEvent } from "react"

/**
 * Whether the pointer or the keyboard is at an element. A finger that is lifted
 * leaves what it touched: there the element stays near until something else is
 * touched.
 */
export function useNear() {
  const [near, setNear] = useState<false | "here" | "touched">(false)
  useEffect(() => {
    if (near !== "touched") return
    const elsewhere = (e: Event) => {
      const at = e.target instanceof Element ? e.target : null
      if (!at?.closest("[role=menu]") && at?.closest("[data-near]")?.getAttribute("data-near") !== "touched") setNear(false)
    }
    document.addEventListener("pointerdown", elsewhere, true)
    return () => document.removeEventListener("pointerdown", elsewhere, true)
  }, [near])
  return {
    near: near !== false,
    /** The keyboard came. */
    come: () => setNear(n => n || "here"),
    props: {
      "data-near": near || undefined,
      onPointerEnter: (e: PointerEvent) => setNear(e.pointerType === "touch" ? "touched" : "here"),
      onPointerLeave: (e: PointerEvent) => e.pointerType === "touch" || e.currentTarget.contains(document.activeElement) || setNear(false),
      onBlur: (e: FocusEvent) => near === "touched" || e.currentTarget.contains(e.relatedTarget) || e.currentTarget.matches(":hover") || setNear(false),
    },
  }
}
