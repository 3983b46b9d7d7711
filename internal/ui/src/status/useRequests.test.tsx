// @vitest-environment jsdom
import assert from "node:assert/strict"
import { createRoot } from "react-dom/client"
import { afterEach, beforeAll, test, vi } from "vitest"
import { LinkProvider } from "../core/hooks"
import { Link } from "../core/link"
import { useRequests } from "./useRequests"

beforeAll(() => void Object.assign(globalThis, { EventSource: class extends EventTarget { close() {} } }))
afterEach(() => vi.unstubAllGlobals())

test("what waits for an answer is asked for when the server goes and when it comes, not at the next round", async () => {
  const link = new Link("ws://127.0.0.1:1/sync")
  const { networkSubsystem: net } = link.repo
  let away = false
  vi.stubGlobal("fetch", async () => {
    if (away) throw new TypeError("away")
    return new Response(JSON.stringify({ requests: [], items: [] }))
  })
  function View() {
    const { error, known } = useRequests()
    return <p>{error ? "away" : known ? "there" : ""}</p>
  }
  const place = document.createElement("div")
  const root = createRoot(place)
  const says = (words: string) => vi.waitFor(() => assert.equal(place.textContent, words))
  root.render(<LinkProvider value={link}><View /></LinkProvider>)
  net.emit("peer", { peerId: "server" as never, peerMetadata: {} })
  await says("there")
  away = true
  net.emit("peer-disconnected", { peerId: "server" as never })
  await says("away")
  away = false
  net.emit("peer", { peerId: "server" as never, peerMetadata: {} })
  await says("there")
  root.unmount()
})
