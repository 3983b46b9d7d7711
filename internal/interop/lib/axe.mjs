// Accessibility findings by axe-core.
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"

const source = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const standards = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

/**
 * What axe-core calls serious or critical on the page as it is, WCAG 2.2 AA and
 * best practices: a line for each finding. `contrast` "only" looks at colours
 * alone, "not" at everything else. The page's policy forbids foreign scripts;
 * Chromium's debugger puts axe there all the same.
 */
export async function serious(tab, { contrast } = {}) {
  if (!(await tab.evaluate(() => "axe" in window))) await tab.evaluate(source + "; undefined")
  return tab.evaluate(
    async ([standards, contrast]) => {
      const options = contrast === "only" ? { runOnly: ["color-contrast"] } : { runOnly: standards, rules: { "color-contrast": { enabled: contrast !== "not" } } }
      const { violations } = await window.axe.run(document, { ...options, resultTypes: ["violations"] })
      return violations
        .filter(v => v.impact === "serious" || v.impact === "critical")
        .flatMap(v => v.nodes.slice(0, 5).map(n => `${v.impact} ${v.id}: ${n.html.slice(0, 160)} (${(n.failureSummary ?? "").replace(/\s+/g, " ").slice(0, 240)})`))
    },
    [standards, contrast],
  )
}
