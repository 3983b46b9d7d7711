// A drift in the context that it came to: where it comes from, what it says
// with its citations as links, what it rests on, and what of that is stale.

import { useMemo } from "react"
import type { ContextModel } from "../core/model"
import type { Block } from "../core/schema"
import { Markdown } from "../editor/Markdown"
import { cx } from "../parts"
import { useCites } from "./CiteLink"
import { commitText } from "./commit"
import { CommitCard } from "./CommitCard"
import { useContexts } from "./contexts"
import css from "./DriftBlock.module.css"
import { Origin } from "./Origin"
import { provenanceOf } from "./provenance"
import { Rests } from "./Rests"
import { useMeta } from "./useMeta"

/** Its text is the element of class "content". Without a model it shows the same. */
export default function DriftBlock({ block }: { model?: ContextModel | null; block: Block }) {
  const meta = useMeta(block)
  const more = useMemo(() => provenanceOf(block.meta), [block.meta])
  const known = useContexts()
  const cites = useCites(meta)
  const commit = useMemo(() => (meta.drift?.kind === "commit" && more.commit ? commitText(block.content) : null), [meta, more, block.content])
  return (
    <div className={css.drift} data-drift={meta.drift?.kind || "drift"}>
      {meta.drift && <Origin drift={meta.drift} more={more} known={known} />}
      <div className={cx("content", css.content)}>
        {commit ? <CommitCard name={more.commit!} text={commit} /> : block.status === "running" ? <Markdown text={block.content} /> : <Markdown text={block.content} refs={cites.refs} cite={cites.cite} />}
      </div>
      <Rests block={block} />
    </div>
  )
}

export { DriftBlock }
