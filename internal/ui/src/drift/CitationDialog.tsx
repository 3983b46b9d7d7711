// A citation, opened: the exact text as it was, who wrote it, and whether it
// still stands.

import { Copy, CornerUpRight } from "lucide-react"
import { useEffect } from "react"
import { colourOf } from "../core/actors"
import { placeOf } from "../core/directory"
import { linesOf, piecesOf, shortOf } from "../core/handle"
import { own } from "../core/own"
import { Badge, Button, cx, Dialog, hueClass, Spinner, type Tone } from "../parts"
import { DiffView } from "../parts/diff/DiffView"
import { HandleLink } from "./CiteLink"
import css from "./CitationDialog.module.css"
import { linesIn, verdictOf, writerWords, type Cited } from "./cited"
import { contexts, useContexts } from "./contexts"
import { copyText } from "./copy"
import { highlightSoon } from "./highlight"
import { quoteOf } from "./quotes"
import { useCited } from "./useCited"

export interface CitationDialogProps {
  handle: string
  onClose(): void
  /** The citation is of this block of this kernel, which may be shown behind the dialog. */
  onFound?(context: string, block: string): void
}

const tones: Record<string, Tone> = { fresh: "ok", stale: "warn", deleted: "danger", offline: "warn" }

export default function CitationDialog({ handle, onClose, onFound }: CitationDialogProps) {
  const { state, cited, writers, around, problem } = useCited(handle)
  const quote = quoteOf(handle)
  useEffect(() => {
    if (cited && !cited.kernel) onFound?.(cited.context, cited.block)
  }, [cited, onFound])
  const footer = cited && (
    <>
      <Button icon={<Copy aria-hidden />} onClick={() => void copyText(cited.handle, "The citation is copied.")}>
        Copy the handle
      </Button>
      {!cited.kernel && cited.state !== "deleted" && (
        <a className={css.go} href={placeOf(cited.context, cited.block)} onClick={() => highlightSoon(cited.block, cited.state === "stale" ? cited.now : cited.text)}>
          <CornerUpRight aria-hidden size={15} />
          Go to the block
        </a>
      )}
    </>
  )
  return (
    <Dialog title="Citation" width="l" onClose={onClose} footer={footer}>
      <div className={css.body}>
        {state !== "" && (
          <Badge tone={own(tones, state) ?? "plain"} className={cx("state", css.state)}>
            {state}
          </Badge>
        )}
        {state === "" && (
          <p className={css.reading}>
            <Spinner /> <span role="status">Reading…</span>
          </p>
        )}
        {state === "wrong" && (
          <p className="verdict" role="alert">
            This is not a citation. One looks like <code>context/block@heads#3-7</code>.
          </p>
        )}
        {cited && <About cited={cited} writers={writers} />}
        {cited && <Text cited={cited} writers={writers} around={around} />}
        {cited && (
          <p className={cx("verdict", css.verdict)} role="status" data-state={cited.state}>
            {verdictOf(cited)}
          </p>
        )}
        {cited?.state === "stale" && cited.diff && (
          <div className="diff">
            <DiffView unified={cited.diff} first={{ before: cited.first, after: cited.nowFirst }} label="Changes: minus is what it said, plus is what stands there now" />
          </div>
        )}
        {problem && (
          <p className={cx("verdict", css.verdict)} role="alert">
            {problem}
          </p>
        )}
        {problem && quote && (
          <>
            <p className={css.hint}>It began:</p>
            <pre className={cx("cited", css.frame, css.quote)} tabIndex={0} role="group" aria-label="How what was cited began">
              {quote}
            </pre>
          </>
        )}
      </div>
    </Dialog>
  )
}

function About({ cited, writers }: { cited: Cited; writers: ReadonlyMap<number, string> }) {
  const known = useContexts()
  const title = (!cited.kernel && known.titleOf(cited.context)) || shortOf(cited.context)
  const who = writerWords(writers)
  return (
    <p className={cx("origin", css.about)}>
      <span>
        {linesOf(cited)} of {cited.kernel ? `${title} in the kernel ${cited.kernel}` : <a href={placeOf(cited.context, cited.block)}>{title}</a>}
      </span>
      <span>{who ? `written by ${who}` : `${cited.kind} block by ${cited.author}`}</span>
      <span title={cited.heads.join("\n")}>
        as of <code>{cited.heads.map(head => head.slice(0, 8)).join(", ")}</code>
      </span>
    </p>
  )
}

/** The exact text, with what stood around it. The numbers and names beside the lines are no part of it. */
function Text({ cited, writers, around }: { cited: Cited; writers: ReadonlyMap<number, string>; around: { before: string; behind: string } }) {
  const start = cited.first || 1
  const lines = linesIn(cited.text)
  const before = around.before ? linesIn(around.before) : []
  const behind = around.behind ? linesIn(around.behind) : []
  const last = start + lines.length - 1 + behind.length
  const several = new Set(writers.values()).size > 1
  return (
    <div className={css.frame} style={{ "--digits": `${String(last).length}ch` } as React.CSSProperties}>
      <Around lines={before} first={start - before.length} label="Lines before it" />
      <pre className={cx("cited", css.cited)} tabIndex={0} role="group" aria-label="What was cited">
        {lines.map((line, n) => {
          const by = writers.get(start + n)
          const turn = several && by !== undefined && writers.get(start + n - 1) !== by
          return (
            <span key={n} data-line={start + n} data-by={turn ? by : undefined} className={several && by !== undefined ? hueClass(colourOf(by)) : undefined}>
              {linked(line)}
            </span>
          )
        })}
      </pre>
      <Around lines={behind} first={start + lines.length} label="Lines behind it" />
    </div>
  )
}

function Around({ lines, first, label }: { lines: readonly string[]; first: number; label: string }) {
  if (lines.length === 0) return null
  return (
    <pre className={css.around} aria-label={label} role="group">
      {lines.map((line, n) => (
        <span key={n} data-line={first + n}>
          {line}
        </span>
      ))}
    </pre>
  )
}

function linked(line: string) {
  const pieces = piecesOf(line, new Map())
  return pieces.map((p, n) => (p.handle === undefined ? p.text : <HandleLink key={n} text={p.text} handle={p.handle} known={contexts.get()} />))
}

export { CitationDialog }
