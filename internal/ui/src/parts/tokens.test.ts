import { readFileSync } from "node:fs"
import { expect, test } from "vitest"

const css = readFileSync(new URL("./tokens.css", import.meta.url), "utf8")

/** The two values of each token: for light and for dark. */
const tokens = new Map([...css.matchAll(/--([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);/g)].map(m => [m[1]!, [m[2]!, m[3]!]]))

/** Relative luminance, WCAG 2.2. */
function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map(i => {
    const c = parseInt(hex.slice(i, i + 2), 16) / 255
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(a: string, b: string): number {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number]
  return (high + 0.05) / (low + 0.05)
}

const surfaces = ["bg", "side", "raised", "hover", "active", "code"]
const hues = Array.from({ length: 12 }, (_, n) => `hue-${n}`)

const pairs: [text: string, on: string][] = [
  ...["fg", "muted", "accent"].flatMap(text => surfaces.map(on => [text, on] as [string, string])),
  ...["danger", "ok", "warn"].flatMap(text => ["bg", "side", "raised", "hover", `${text}-bg`].map(on => [text, on] as [string, string])),
  ...["fg", "muted", "accent"].map(text => [text, "accent-bg"] as [string, string]),
  ...["danger-bg", "ok-bg", "warn-bg"].map(on => ["fg", on] as [string, string]),
  ["accent-fg", "accent"],
  ["danger-fg", "danger"],
  ...hues.flatMap(hue => ["bg", "side", "raised", `${hue}-bg`].map(on => [hue, on] as [string, string])),
  ...hues.map(hue => ["fg", `${hue}-bg`] as [string, string]),
  ...hues.map(hue => ["bg", hue] as [string, string]), // the name on a cursor's flag
]

test.each(["light", "dark"])("text is legible in the %s theme", theme => {
  const side = theme === "light" ? 0 : 1
  const poor = pairs.flatMap(([text, on]) => {
    const [a, b] = [tokens.get(text)?.[side], tokens.get(on)?.[side]]
    if (!a || !b) return [`${text} or ${on} is no token`]
    const ratio = contrast(a, b)
    return ratio < 4.5 ? [`${text} on ${on}: ${ratio.toFixed(2)}`] : []
  })
  expect(poor).toEqual([])
})

test("every hue has a class", () => {
  for (const hue of hues) expect(css).toContain(`.${hue} { --hue: var(--${hue}); --hue-bg: var(--${hue}-bg); }`)
})
