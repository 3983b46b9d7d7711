import { CloudOff, HardDriveDownload } from "lucide-react"
import { useEffect, useState } from "react"
import type { Link } from "../core/link"
import { deletedHere } from "./actions"
import { RefusedBanner } from "./RefusedBanner"
import styles from "./App.module.css"

/** A break of the connection shorter than this, in milliseconds, is not worth a word. */
const graceMillis = 2500

/** What everybody should know who looks at the page: the server is away, or it refused something. */
export function Banners({ link }: { link: Link }) {
  const { connected, refusal, trouble } = link
  const [away, setAway] = useState(false)
  const [seen, setSeen] = useState("")
  const news = refusal !== "" && refusal !== seen && ![...deletedHere].some(id => refusal.includes(id))
  useEffect(() => {
    setAway(false)
    if (connected) return
    const timer = setTimeout(() => setAway(true), graceMillis)
    return () => clearTimeout(timer)
  }, [connected])
  return (
    <>
      {away && (
        <div className={`${styles.banner} ${styles.offline}`} role="status">
          <CloudOff aria-hidden />
          <p>The server cannot be reached. {trouble ? "What you write is in this page alone: leave it open until the server is back." : "What you write is kept in this browser, and sent when it is back."}</p>
        </div>
      )}
      {trouble && (
        <div className={`${styles.banner} ${styles.refused} trouble`} role="alert">
          <HardDriveDownload aria-hidden />
          <p>This browser does not keep what you write ({trouble}). Do not close the page before the light says that it is saved.</p>
        </div>
      )}
      {news && <RefusedBanner link={link} onDismiss={() => setSeen(refusal)} />}
    </>
  )
}
