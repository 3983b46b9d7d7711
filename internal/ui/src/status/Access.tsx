import { Plus } from "lucide-react"
import { useMemo, useState } from "react"
import { useOp } from "../core/hooks"
import { op } from "../core/ops"
import { ask, Badge, Button, TimeAgo, toast } from "../parts"
import { rolesFrom, tokensFrom, type Token } from "./answers"
import { NewToken } from "./NewToken"
import styles from "./Status.module.css"
import { wordsOf } from "./words"

/** Who may do what with the kernel, and with which tokens: for its owners. */
export function Access() {
  const roles = useOp<unknown>("role_list", {}, { every: 30_000 })
  const tokens = useOp<unknown>("token_list", {}, { every: 30_000 })
  const members = useMemo(() => rolesFrom(roles.data), [roles.data])
  const all = useMemo(() => tokensFrom(tokens.data), [tokens.data])
  const [making, setMaking] = useState(false)
  const reload = () => {
    roles.reload()
    tokens.reload()
  }
  const revoke = async (t: Token) => {
    if (!(await ask({ title: `Revoke this token of ${t.name}?`, text: "It is worthless at once, also on connections that use it. What was done with it stays, under its name.", verb: "Revoke", danger: true }))) return
    try {
      await op("token_revoke", { token: t.id })
      toast({ kind: "ok", text: `A token of ${t.name} is revoked` })
      reload()
    } catch (err) {
      toast({ kind: "error", text: wordsOf(err) })
    }
  }
  const setRole = async (principal: string, role: string) => {
    try {
      await op("role_set", { principal, role })
      toast({ kind: "ok", text: `${principal}: ${role}` })
    } catch (err) {
      toast({ kind: "error", text: wordsOf(err) })
    }
    reload()
  }
  return (
    <>
      <section className={styles.section}>
        <h2>Roles on the kernel</h2>
        {roles.error && roles.data === undefined ? (
          <p className={styles.faint}>{wordsOf(roles.error)}</p>
        ) : (
          <ul className={styles.roles}>
            {members.map(m => (
              <li key={m.principal}>
                <span><b>{m.principal}</b> <span className={styles.faint}>{m.kind}</span></span>
                <select aria-label={`Role of ${m.principal}`} value={m.role} onChange={e => void setRole(m.principal, e.target.value)}>
                  {["none", "reader", "commenter", "editor", "owner"].map(r => <option key={r}>{r}</option>)}
                </select>
              </li>
            ))}
            {members.length === 0 && roles.data !== undefined && <li className={styles.faint}>Nobody but whoever started it.</li>}
          </ul>
        )}
      </section>
      <section className={styles.section}>
        <header className={styles.sectionHead}>
          <h2>Tokens</h2>
          <Button size="s" icon={<Plus aria-hidden />} onClick={() => setMaking(true)}>New token</Button>
        </header>
        {tokens.error && tokens.data === undefined ? (
          <p className={styles.faint}>{wordsOf(tokens.error)}</p>
        ) : all.length === 0 ? (
          <p className={styles.faint}>{tokens.data === undefined ? "Reading…" : "There are none but the owner's, which is in the data directory."}</p>
        ) : (
          <div className={styles.scroll} tabIndex={0} role="group" aria-label="Tokens">
            <table className={styles.table}>
              <thead>
                <tr>
                  <th scope="col">Of</th>
                  <th scope="col">Role</th>
                  <th scope="col">Made</th>
                  <th scope="col">Last used</th>
                  <th scope="col">Ends</th>
                  <th scope="col"><span className="sr-only">Revoke</span></th>
                </tr>
              </thead>
              <tbody>
                {all.map(t => (
                  <tr key={t.id}>
                    <th scope="row">{t.name} <span className={styles.faint}>{t.kind}</span></th>
                    <td>{t.role} {t.deny.length > 0 && <Badge title={`May not use ${t.deny.join(", ")}`}>limited</Badge>}</td>
                    <td><TimeAgo at={t.created} /> {t.createdBy && <span className={styles.faint}>by {t.createdBy}</span>}</td>
                    <td>{t.lastUsed ? <TimeAgo at={t.lastUsed} /> : <span className={styles.faint}>not since the start</span>}</td>
                    <td>{t.expires ? new Date(t.expires).toLocaleDateString() : "never"}</td>
                    <td><Button size="s" variant="ghost" onClick={() => void revoke(t)} aria-label={`Revoke this token of ${t.name}`}>Revoke</Button></td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </section>
      {making && (
        <NewToken
          onClose={() => {
            setMaking(false)
            reload()
          }}
        />
      )}
    </>
  )
}
