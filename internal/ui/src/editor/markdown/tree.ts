// What is done to the tree of a Markdown text before elements are made of it.

import type { Element, ElementContent, Root, RootContent, Text } from "hast"
import { piecesOf } from "../../core/handle"

/** Elements of our own, which no text can name: HTML in a text stays text. */
export const citeTag = "kj-cite"
export const hiddenTag = "kj-hidden"

/** Characters that show nothing and turn the order of those around them, or break lines or rules. */
export const hiding = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/u
const hidings = new RegExp(hiding.source, "gu")

export const nameOf = (char: string) => "U+" + char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")

/** A rehype plugin: citations become elements, hidden characters show, and no name or class of a text's own stays. */
export const ownTree = (refs: ReadonlyMap<number, string>) => () => (tree: Root) => {
  walk(tree, false, false)

  function walk(node: Root | Element, code: boolean, link: boolean): void {
    const children: RootContent[] = []
    for (const child of node.children) {
      if (child.type === "element") {
        if (child.properties) strip(child)
        walk(child, code || child.tagName === "code", link || child.tagName === "a")
        children.push(child)
      } else if (child.type === "text" || child.type === "raw") {
        const value = child.value
        if (!code && value.trim() === "" && value.includes("\n") && node.type === "element" && !inline.has(node.tagName)) continue
        if (!code && value === "\n" && node.type === "root") continue
        children.push(...(code || link ? shown(value) : cited(value)))
      } else if (child.type !== "comment" && child.type !== "doctype") children.push(child)
    }
    node.children = children as ElementContent[]
  }

  function cited(value: string): ElementContent[] {
    return piecesOf(value, refs).flatMap((piece): ElementContent[] =>
      piece.handle === undefined
        ? shown(piece.text)
        : [{ type: "element", tagName: citeTag, properties: { handle: piece.handle, ...(piece.ref !== undefined && { number: piece.ref }) }, children: [{ type: "text", value: piece.text }] }],
    )
  }
}

const inline = new Set(["p", "em", "strong", "del", "a", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th"])

/** Takes names and classes from an element: only the language of code and the marks of task lists are ours. */
function strip({ properties }: Element): void {
  delete properties.id
  delete properties.ariaDescribedBy
  delete properties.ariaLabel
  for (const key of Object.keys(properties)) if (key.startsWith("data")) delete properties[key]
}

/** A text with its hidden characters spelled out. */
function shown(value: string): ElementContent[] {
  if (!hiding.test(value)) return [{ type: "text", value }]
  const nodes: ElementContent[] = []
  let from = 0
  const text = (part: string): Text => ({ type: "text", value: part })
  for (const { 0: char, index } of value.matchAll(hidings)) {
    if (index > from) nodes.push(text(value.slice(from, index)))
    nodes.push({ type: "element", tagName: hiddenTag, properties: {}, children: [text(nameOf(char))] })
    from = index + char.length
  }
  if (from < value.length) nodes.push(text(value.slice(from)))
  return nodes
}
