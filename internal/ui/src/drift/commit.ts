// The text of a block that tells of a commit, taken apart: its message, its
// author, and each file with who wrote how much of what was added.

export interface CommitText {
  message: string
  author: string
  files: CommitFile[]
  /** How many more files there are than are named. */
  more: number
}

export interface CommitFile {
  path: string
  /** What became of it, as it stands there: "+12 −3", "+4 (new)", "(deleted)". */
  change: string
  /** Who wrote how many characters of what was added. */
  shares: { name: string; chars: number }[]
}

const head = /^Commit [0-9a-f]{7,64} on [^\n]* of [^\n]*\n\n/
const authorLine = /(?:^|\n)\nAuthor: ([^\n]{1,400})\n(?:\n|$)/g
const fileLine = /^- (.+?) ((?:\+\d+ −\d+|\+\d+ \(new\)|\(binary\)|\(deleted\)))(?:: (.+))?$/
const moreLine = /^- and (\d{1,9}) more files$/
const shareOf = /^(.{1,200}) (\d{1,12})$/

/** Takes the text apart; null for one of another shape, which is shown as it is. */
export function commitText(content: string): CommitText | null {
  const begin = head.exec(content)
  if (!begin || content.length > 512 << 10) return null
  const rest = "\n\n" + content.slice(begin[0].length)
  const at = [...rest.matchAll(authorLine)].at(-1)
  if (!at) return null
  const files: CommitFile[] = []
  let more = 0
  for (const line of rest.slice(at.index + at[0].length).split("\n")) {
    if (line === "") continue
    const left = moreLine.exec(line)
    const file = left ? null : fileLine.exec(line)
    if (left) more = Number(left[1])
    else if (file) files.push({ path: file[1]!, change: file[2]!, shares: sharesOf(file[3] ?? "") })
    else return null
  }
  return { message: rest.slice(2, Math.max(2, at.index)).trim(), author: at[1]!, files, more }
}

function sharesOf(text: string): CommitFile["shares"] {
  return text.split(", ").flatMap(part => {
    const found = shareOf.exec(part)
    return found ? [{ name: found[1]!, chars: Number(found[2]) }] : []
  })
}
