// Small helpers over the DOM. Text from documents enters only as text nodes.

type Child = Node | string | null | undefined | false
type Props = Record<string, string | number | boolean | ((event: any) => void) | null | undefined>

/** Makes an element: a function is a listener, `true` an empty attribute, null and false none at all. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props: Props = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const el = document.createElement(tag)
  for (const [name, value] of Object.entries(props)) {
    if (typeof value === "function") el.addEventListener(name, value)
    else if (value === true) el.setAttribute(name, "")
    else if (value !== null && value !== undefined && value !== false) el.setAttribute(name, String(value))
  }
  for (const child of children) if (child) el.append(child)
  return el
}

/** Sets the text only if it differs, so that selections inside survive. */
export function setText(el: Element, text: string): void {
  if (el.textContent !== text) el.textContent = text
}

/** Sets or removes an attribute only if that changes anything. */
export function setAttr(el: Element, name: string, value: string | null): void {
  if (value === null) el.removeAttribute(name)
  else if (el.getAttribute(name) !== value) el.setAttribute(name, value)
}

/** Sets the children; the keyboard stays at the link at which it is, counted from the first. */
export function setChildren(el: Element, children: (Node | string)[]): void {
  const at = [...el.querySelectorAll("a")].findIndex(link => link === document.activeElement)
  el.replaceChildren(...children)
  if (at >= 0) el.querySelectorAll("a")[at]?.focus({ preventScroll: true })
}

/** Runs `fn` at most once per animation frame, or soon when the page is hidden. */
export function oncePerFrame(fn: () => void): () => void {
  let queued = false
  return () => {
    if (queued) return
    queued = true
    const run = () => {
      queued = false
      fn()
    }
    if (document.hidden) setTimeout(run, 50)
    else requestAnimationFrame(run)
  }
}
