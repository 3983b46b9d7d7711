// Markdown that still grows: what is settled is set once, and only the end is
// set anew with each piece that comes.

/** How long a settled part becomes, in characters, before the next begins. */
const partChars = 2_000

/**
 * Cuts growing Markdown at empty lines outside of fenced code. All parts but
 * the last stay as they are while the text grows.
 */
export function settledParts(text: string): string[] {
  const parts: string[] = []
  let begin = 0
  let fence = ""
  for (let at = 0; at < text.length; ) {
    const next = text.indexOf("\n", at)
    const end = next < 0 ? text.length : next + 1
    const line = text.slice(at, Math.min(end, at + 200))
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ""
    if (mark && !fence) fence = mark
    else if (mark && mark.startsWith(fence)) fence = ""
    else if (!fence && next >= 0 && line.trim() === "" && at - begin >= partChars && !/^[ \t]|^([-*+]|\d+[.)])\s/.test(text.slice(end, end + 8))) {
      parts.push(text.slice(begin, end))
      begin = end
    }
    at = end
  }
  parts.push(text.slice(begin))
  return parts
}
