// Marks lines of a block that is about to be shown, for a moment.

import { bare, located } from "./match"
import "./highlight.module.css"

const name = "kj-cited"
/** How long the block may take to come into sight, and how long its lines stay marked, in milliseconds. */
const waitMillis = 8000
const stayMillis = 6000

let stop = () => {}

/** Marks a text in a block as soon as that is shown. Where the browser cannot, nothing happens. */
export function highlightSoon(block: string, text: string): void {
  stop()
  if (!("highlights" in CSS) || text.trim() === "") return
  const look = () => {
    const content = document.querySelector(`[data-block="${CSS.escape(block)}"] .content`) ?? document.querySelector(`[data-block="${CSS.escape(block)}"]`)
    const range = content && rangeOf(content, text)
    if (!range) return
    watch.disconnect()
    CSS.highlights.set(name, new Highlight(range))
    clearTimeout(timer)
    timer = setTimeout(stop, stayMillis)
  }
  const watch = new MutationObserver(look)
  let timer = setTimeout(() => stop(), waitMillis)
  stop = () => {
    watch.disconnect()
    clearTimeout(timer)
    CSS.highlights.delete(name)
  }
  watch.observe(document.body, { childList: true, subtree: true })
  look()
}

/** The range of a text in an element, whatever elements it runs through. */
export function rangeOf(el: Element, text: string): Range | null {
  const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT)
  const nodes: { node: Text; from: number }[] = []
  let all = ""
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node: node as Text, from: all.length })
    all += (node as Text).data
  }
  const found = located(bare(all), text)
  if (!found) return null
  const place = (pos: number): [Text, number] => {
    let n = nodes.length - 1
    while (n > 0 && nodes[n]!.from > pos) n--
    return [nodes[n]!.node, pos - nodes[n]!.from]
  }
  const range = document.createRange()
  range.setStart(...place(found[0]))
  const [end, offset] = place(found[1] - 1)
  range.setEnd(end, offset + 1)
  return range
}
