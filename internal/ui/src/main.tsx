// The page: starts the engine, then shows the shell.

import "./core/nonce"
import * as A from "@automerge/automerge/slim"
import { initializeWasm } from "@automerge/automerge-repo/slim"
import wasm from "@automerge/automerge/automerge.wasm?url"
import { createRoot } from "react-dom/client"
import { discardMarked } from "./core/discard"
import { LinkProvider } from "./core/hooks"
import { beginPreview } from "./core/preview"
import { bringBack } from "./core/rescue"
import { uploadForgotten } from "./core/saved"
import { Link } from "./core/link"
import App from "./shell/App"

const root = document.getElementById("root")!

function run(): void {
  const link = new Link(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/sync`)
  // For people who look under the hood, and for tests.
  Object.assign(window, { kaijutsu: { repo: link.repo, link, A } })
  createRoot(root).render(
    <LinkProvider value={link}>
      <App />
    </LinkProvider>,
  )
  void bringBack(link.repo, localStorage)
  void uploadForgotten(link)
}

function failed(why: unknown): void {
  const notice = document.createElement("p")
  notice.setAttribute("role", "alert")
  notice.textContent = `The page could not start: ${why instanceof Error ? why.message : String(why)}`
  root.replaceChildren(notice)
}

beginPreview()
Promise.all([initializeWasm(wasm), discardMarked(localStorage)]).then(run, failed)

if (import.meta.env.PROD && "serviceWorker" in navigator) void navigator.serviceWorker.register("/sw.js").catch(() => {}) // refused: the page works, but only with the server there

// A file that is dropped where nothing takes it would be opened in the place of the page.
for (const name of ["dragover", "drop"] as const) {
  window.addEventListener(name, e => {
    if (!e.defaultPrevented && e.dataTransfer?.types.includes("Files")) {
      e.preventDefault()
      e.dataTransfer.dropEffect = "none"
    }
  })
}
