// Which addresses a text may lead to, and which pictures it may show.

import { handleIn } from "../../core/handle"

const ownAddress = /^#(?:\/(?:cite|history|graph|inbox|queue|git|status|requests)(?:[/?]|$)|automerge:[A-Za-z0-9]+)/
const picture = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=]+$/
const maxPictureChars = 300_000

/** The address that a link may have; null for one that leads nowhere from here. */
export function safeAddress(href: string): string | null {
  if (href.startsWith("#")) return ownAddress.test(href) || handleIn(href.slice(1)) !== null ? href : null
  // Browsers skip control characters and spaces within a scheme.
  if (!/^(?:https?:\/\/|mailto:)/i.test(href)) return null
  try {
    const url = new URL(href)
    if (url.protocol === "mailto:") return url.href
    const web = url.protocol === "http:" || url.protocol === "https:"
    return web && url.hostname !== "" && url.username === "" && url.password === "" ? url.href : null
  } catch {
    return null
  }
}

/** The picture that lies in the text itself; null for any other. */
export const safePicture = (src: string): string | null => (src.length <= maxPictureChars && picture.test(src) ? src : null)

/** The host of a link whose words name another; "" if they do not. */
export function disguised(words: string, href: string): string {
  const named = /^\s*(?:https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+[\p{L}]{2,})(?:[/:?#\s]|$)/iu.exec(words)?.[1]
  if (!named || !/^https?:/.test(href)) return ""
  const host = new URL(href).hostname
  const bare = (name: string) => name.toLowerCase().replace(/^www\./, "")
  return bare(named) === bare(host) ? "" : host
}
