// Doing things once per picture that the browser paints.

/** Runs `fn` before the next picture, or soon when nobody looks; returns how to stop that. */
export function nextFrame(fn: () => void): () => void {
  if (typeof requestAnimationFrame === "undefined" || document.hidden) {
    const timer = setTimeout(fn, 20)
    return () => clearTimeout(timer)
  }
  // A page that is hidden meanwhile paints no picture.
  let done = false
  const once = () => {
    if (done) return
    done = true
    cancelAnimationFrame(frame)
    clearTimeout(late)
    fn()
  }
  const frame = requestAnimationFrame(once)
  const late = setTimeout(once, 250)
  return () => {
    done = true
    cancelAnimationFrame(frame)
    clearTimeout(late)
  }
}
