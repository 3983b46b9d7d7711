// Code to read, in its colours once its language is there.

import { memo, useEffect, useMemo, useState } from "react"
import css from "./CodeView.module.css"
import type { Span } from "./highlight"
import { languageOf } from "./languages"
import { hiding, nameOf } from "./markdown/tree"

export interface CodeViewProps {
  text: string
  /** A language, an ending or a path. */
  lang?: string | undefined
}

const each = new RegExp(hiding.source, "gu")

export const CodeView = memo(function CodeView({ text, lang }: CodeViewProps) {
  const shown = useMemo(() => (hiding.test(text) ? text.replace(each, char => (char === "\f" ? char : `[${nameOf(char)}]`)) : text), [text])
  const spans = useSpans(shown, lang)
  return (
    <pre className={css.code} tabIndex={0} role="group" aria-label="Code">
      <code>{spans ? spans.map((s, n) => (s.className ? <span key={n} className={s.className}>{s.text}</span> : s.text)) : shown}</code>
    </pre>
  )
})

/** The coloured pieces of code, null until they are known. */
function useSpans(text: string, lang: string | undefined): Span[] | null {
  const name = lang === undefined ? null : languageOf(lang)
  const [found, setFound] = useState<{ text: string; name: string; spans: Span[] | null } | null>(null)
  useEffect(() => {
    if (!name) return
    let wanted = true
    void Promise.all([import("./highlight"), import("./languages").then(m => m.loadLanguage(name))]).then(
      ([{ spansOf }, support]) => wanted && setFound({ text, name, spans: support && spansOf(text, support) }),
      () => undefined, // it stays as it is
    )
    return () => void (wanted = false)
  }, [text, name])
  return found && found.text === text && found.name === name ? found.spans : null
}
