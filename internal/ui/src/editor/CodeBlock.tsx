// Code within a text, with a button that copies it.

import { Check, Copy } from "lucide-react"
import { useEffect, useState } from "react"
import { IconButton } from "../parts"
import { CodeView } from "./CodeView"
import css from "./CodeView.module.css"

export function CodeBlock({ text, lang }: { text: string; lang?: string | undefined }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1500)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <div className={css.block}>
      <CodeView text={text} lang={lang} />
      <div className={`${css.tools} no-print`}>
        <IconButton
          size="s"
          label={copied ? "Copied" : "Copy the code"}
          icon={copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
          onClick={() => void copy(text).then(setCopied)}
        />
      </div>
    </div>
  )
}

/** Puts a text on the clipboard; false where the browser does not let us. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}
