// Patterns of subjects: "*" is one token, ">" one or more at the end.

/** Reports whether a subject, both without "kj." and the kernel, is one of a pattern. */
export function matches(pattern: string, subject: string): boolean {
  const want = pattern.split(".")
  const have = subject.split(".")
  for (let n = 0; n < want.length; n++) {
    if (want[n] === ">") return have.length > n
    if (n >= have.length || (want[n] !== "*" && want[n] !== have[n])) return false
  }
  return want.length === have.length
}

/** The narrowest pattern that takes in all of some; null of none. */
export function covering(patterns: readonly string[]): string | null {
  let cover: string[] | null = null
  for (const pattern of patterns) {
    const next = pattern.split(".")
    cover = cover === null ? next : joined(cover, next)
  }
  return cover && cover.join(".")
}

function joined(a: string[], b: string[]): string[] {
  const tokens: string[] = []
  for (let n = 0; n < Math.max(a.length, b.length); n++) {
    const [x, y] = [a[n], b[n]]
    if (x === undefined || y === undefined || x === ">" || y === ">") return [...tokens, ">"]
    tokens.push(x === y ? x : "*")
  }
  return tokens
}
