// How the lines begin that the blocks cite that were shown: what can be said of
// a citation while the server, which reads it, is away.

const maxQuotes = 5000
const quotes = new Map<string, string>()

export function rememberQuotes(citations: readonly { handle: string; quote: string }[]): void {
  for (const { handle, quote } of citations) {
    if (quote === "" || quotes.get(handle) === quote) continue
    if (quotes.size >= maxQuotes) quotes.delete(quotes.keys().next().value!)
    quotes.set(handle, quote)
  }
}

/** "" if none is known. */
export const quoteOf = (handle: string): string => quotes.get(handle) ?? ""
