import { Bot, PenLine, User } from "lucide-react"
import { colourOf } from "../core/actors"
import { hueClass } from "../parts"
import type { Made, Share, Signature } from "./answers"
import styles from "./Attribution.module.css"
import { many, percents, trailersOf } from "./words"

/** Whom a commit names, and who wrote how much of it. */
export function Attribution({ made }: { made: Made }) {
  const { trailers } = trailersOf(made.message)
  return (
    <section className={styles.box} aria-label="Attribution">
      <h3>Whom this commit names</h3>
      <Bar shares={made.shares} />
      <dl className={styles.facts}>
        <dt>Author</dt>
        <dd><Person of={made.author} /></dd>
        {made.coAuthors.length > 0 && <dt>With</dt>}
        {made.coAuthors.map(a => <dd key={a.email + a.name}><Person of={a} /></dd>)}
        <dt>Committer</dt>
        <dd>
          <Person of={made.committer} />
          <span className={styles.faint}>{made.signed ? " signed" : " not signed"}</span>
        </dd>
        {trailers.length > 0 && <dt>Trailers</dt>}
        {trailers.map((t, n) => (
          <dd key={n} className={styles.trailer} title={t.value}>
            <span>{t.key}:</span> {t.value}
          </dd>
        ))}
        {made.distiller && (
          <>
            <dt>Message</dt>
            <dd>written by {made.distiller}{made.model && ` on ${made.model}`}: change it as you like</dd>
          </>
        )}
      </dl>
      <ul className={styles.files} aria-label="Files of the commit">
        {made.files.slice(0, 100).map(f => (
          <li key={f.path}>
            <span className={styles.path} title={f.path}>{f.path}</span>
            <span className={styles.lines} aria-label={`${many(f.added, "line")} added, ${many(f.deleted, "line")} removed`}>
              {f.binary ? "no text" : <><ins>+{f.added}</ins> <del>−{f.deleted}</del></>}
            </span>
            <Bar shares={f.shares} small />
          </li>
        ))}
      </ul>
      {made.notice && <p className={styles.faint}>{made.notice}</p>}
    </section>
  )
}

const Person = ({ of }: { of: Signature }) => (
  <>
    {of.name || "nobody"} {of.email && <span className={styles.faint}>&lt;{of.email}&gt;</span>}
  </>
)

/** Shares as a bar of colours, with the names below it. */
function Bar({ shares, small = false }: { shares: readonly Share[]; small?: boolean }) {
  const parts = percents(shares)
  const words = parts.map(({ share, percent }) => `${nameOf(share)} ${percent} %`).join(", ")
  return (
    <div className={small ? styles.small : undefined}>
      <div className={styles.bar} role="img" aria-label={words || "nothing new was written"} title={words}>
        {parts.map(({ share, percent }) => (
          <span key={share.principal + share.model} className={isNobody(share) ? styles.nobody : hueClass(colourOf(share.principal))} style={{ flexGrow: percent }} />
        ))}
      </div>
      {!small && (
        <ul className={styles.legend}>
          {parts.map(({ share, percent }) => (
            <li key={share.principal + share.model} className={isNobody(share) ? styles.nobody : hueClass(colourOf(share.principal))}>
              {share.kind === "agent" ? <Bot aria-hidden /> : share.kind === "person" ? <User aria-hidden /> : <PenLine aria-hidden />}
              {nameOf(share)} <b>{percent} %</b>
              {share.model && <span className={styles.faint}> {share.model}</span>}
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const isNobody = (s: Share) => s.kind === "service"
const nameOf = (s: Share) => (s.principal === "disk" ? "programs on the disk" : s.principal === "git" ? "out of git" : s.principal || "somebody")
