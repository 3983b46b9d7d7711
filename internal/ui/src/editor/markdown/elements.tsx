// The elements that Markdown becomes.

import { Children, isValidElement, type ComponentProps, type ReactNode } from "react"
import { Image } from "lucide-react"
import type { Components } from "react-markdown"
import { CodeBlock } from "../CodeBlock"
import { rightToLeft } from "../../core/direction"
import { disguised, safeAddress, safePicture } from "./url"
import css from "../Markdown.module.css"

function Link({ href, children }: ComponentProps<"a">) {
  const to = href === undefined ? null : safeAddress(href)
  if (to === null) return <span className={css.dead} title="This link leads nowhere that may be opened from here">{children}</span>
  if (to.startsWith("#")) return <a href={to}>{children}</a>
  const other = disguised(wordsOf(children), to)
  return (
    <>
      <a href={to} target="_blank" rel="noopener noreferrer nofollow" title={to}>
        {children}
      </a>
      {other && <span className={css.host}> ({other})</span>}
    </>
  )
}

/** A picture in the text itself; any other is a link, for nothing is fetched from elsewhere. */
function Picture({ src, alt = "" }: ComponentProps<"img">) {
  const address = typeof src === "string" ? src : ""
  const own = safePicture(address)
  if (own) return <img className={css.picture} src={own} alt={alt} loading="lazy" />
  return (
    <Link href={address}>
      <Image size={13} aria-hidden className={css.pictureMark} /> {alt || "picture"}
    </Link>
  )
}

/** Fenced code; `pre` holds the one `code`. */
function Pre({ children }: ComponentProps<"pre">) {
  const code = Children.toArray(children).find(isValidElement) as { props?: { className?: string; children?: ReactNode } } | undefined
  const lang = /(?:^|\s)language-(\S+)/.exec(code?.props?.className ?? "")?.[1]
  return <CodeBlock text={wordsOf(code?.props?.children).replace(/\n$/, "")} lang={lang} />
}

const heading = (level: 1 | 2 | 3 | 4 | 5 | 6) => {
  // Below the title of the page and that of the context.
  const Tag = `h${Math.min(level + 2, 6)}` as "h3"
  return function Heading({ children }: { children?: ReactNode }) {
    return <Tag className={css[`h${level}`]} dir="auto">{children}</Tag>
  }
}

export const elements: Components = {
  a: ({ href, children }) => <Link href={href}>{children}</Link>,
  img: ({ src, alt }) => <Picture src={src} alt={alt} />,
  pre: ({ children }) => <Pre>{children}</Pre>,
  code: ({ children, className }) => <code className={className}>{children}</code>,
  p: ({ children }) => <p dir="auto">{children}</p>,
  ul: ({ children, className }) => <ul dir={sideOf(children)} className={className}>{children}</ul>,
  ol: ({ children, start, className }) => <ol dir={sideOf(children)} start={start} className={className}>{children}</ol>,
  blockquote: ({ children }) => <blockquote dir={sideOf(children)}>{children}</blockquote>,
  table: ({ children }) => (
    <div className={css.wide} tabIndex={0} role="group" aria-label="Table" dir={sideOf(children)}>
      <table>{children}</table>
    </div>
  ),
  input: ({ checked }) => <input type="checkbox" checked={checked === true} disabled aria-label={checked ? "done" : "to do"} />,
  section: ({ children }) => <section>{children}</section>,
  h1: heading(1),
  h2: heading(2),
  h3: heading(3),
  h4: heading(4),
  h5: heading(5),
  h6: heading(6),
}

/** The side that something begins at, as its first letter says: "auto" does not look into what has a direction of its own. */
function sideOf(children: ReactNode): "rtl" | undefined {
  return rightToLeft(beginning(children, 200)) ? "rtl" : undefined
}

/** The first words of what is shown: not all of them, for lists lie in lists. */
function beginning(node: ReactNode, chars: number): string {
  if (typeof node === "string" || typeof node === "number") return String(node).slice(0, chars)
  if (!Array.isArray(node)) return isValidElement<{ children?: ReactNode }>(node) ? beginning(node.props.children, chars) : ""
  let words = ""
  for (const part of node) {
    words += beginning(part, chars - words.length)
    if (words.length >= chars) break
  }
  return words
}

/** The words of what is shown. */
export function wordsOf(node: ReactNode): string {
  if (typeof node === "string" || typeof node === "number") return String(node)
  if (Array.isArray(node)) return node.map(wordsOf).join("")
  return isValidElement<{ children?: ReactNode }>(node) ? wordsOf(node.props.children) : ""
}
