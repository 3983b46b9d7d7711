// Which way a text runs.

/** The first letter that has a direction, if it is of a script that runs from right to left. */
const first = /^\P{L}*[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/** How far the first letter is looked for. */
const maxLooked = 1000

/** Reports whether a text begins from the right. */
export const rightToLeft = (text: string): boolean => first.test(text.slice(0, maxLooked))
