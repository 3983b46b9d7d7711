// @vitest-environment jsdom
import assert from "node:assert/strict"
import { act } from "react"
import { createRoot } from "react-dom/client"
import { afterEach, beforeAll, test, vi } from "vitest"
import { LinkProvider, useOp } from "./hooks"
import { Link } from "./link"

beforeAll(() => void Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true }))
afterEach(() => vi.unstubAllGlobals())

/** A link that nobody answers, and what its network says when a server comes or goes. */
function link() {
  const made = new Link("ws://127.0.0.1:1/sync")
  const { networkSubsystem: net } = made.repo
  return { made, come: () => net.emit("peer", { peerId: "server" as never, peerMetadata: {} }), go: () => net.emit("peer-disconnected", { peerId: "server" as never }) }
}

test("what an operation answers is asked for anew as soon as the server is back, and once for each time", async () => {
  const { made, come, go } = link()
  let away = false
  let asked = 0
  vi.stubGlobal("fetch", async () => {
    asked++
    if (away) throw new TypeError("away")
    return new Response(JSON.stringify({ n: asked }))
  })
  function View() {
    const { data, error } = useOp<{ n: number }>("server_status", {})
    return <p>{error ? "away" : data?.n}</p>
  }
  const place = document.createElement("div")
  const root = createRoot(place)
  const said = () => place.textContent
  await act(async () => root.render(<LinkProvider value={made}><View /></LinkProvider>))
  assert.deepEqual([said(), asked], ["1", 1])
  await act(async () => come())
  assert.deepEqual([said(), asked], ["1", 1]) // it had answered already
  away = true
  await act(async () => go())
  await act(async () => root.render(<LinkProvider value={made}><View key="again" /></LinkProvider>))
  assert.deepEqual([said(), asked], ["away", 2])
  away = false
  await act(async () => come())
  assert.deepEqual([said(), asked], ["3", 3])
  await act(async () => root.unmount())
  await act(async () => (go(), come()))
  assert.equal(asked, 3)
})
