import type { AutomergeUrl, DocHandle } from "@automerge/automerge-repo/slim"
import { useEffect, useState } from "react"
import { useLink } from "../core/hooks"
import { pretty } from "./json"
import styles from "./Pages.module.css"

/** An Automerge document that is no context: its value as JSON, live, and not to be edited. */
export function JsonView({ url }: { url: string }) {
  const { repo } = useLink()
  const [text, setText] = useState("")
  useEffect(() => {
    const stop = new AbortController()
    let handle: DocHandle<unknown> | null = null
    let frame = 0
    const draw = () => {
      frame = 0
      if (handle?.isReady()) setText(pretty(handle.doc()))
    }
    const soon = () => void (frame ||= requestAnimationFrame(draw))
    repo.find<unknown>(url as AutomergeUrl, { signal: stop.signal }).then(
      found => {
        if (stop.signal.aborted) return
        handle = found
        handle.on("change", soon)
        draw()
      },
      () => {}, // it is not to be had; the page around says so
    )
    return () => {
      stop.abort()
      cancelAnimationFrame(frame)
      handle?.off("change", soon)
    }
  }, [repo, url])
  return (
    <section className={`json ${styles.json}`} aria-label="Document">
      <h1>Document</h1>
      <p className={styles.muted}>
        <code>{url}</code>
      </p>
      <p className={styles.muted}>Not a context of blocks; shown as it is.</p>
      <pre tabIndex={0} aria-label="The document as JSON">
        <code>{text}</code>
      </pre>
    </section>
  )
}
