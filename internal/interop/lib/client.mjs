// Unmodified npm clients.
import { randomBytes } from "node:crypto"
import { Repo } from "@automerge/automerge-repo"
import { BrowserWebSocketClientAdapter } from "@automerge/automerge-repo-network-websocket"
import { NodeFSStorageAdapter } from "@automerge/automerge-repo-storage-nodefs"
import { until } from "./wait.mjs"

/** A Repo on a server; `storage` is a directory, and other options go to the Repo as they are. */
export function client(name, ws, { storage, retry = 100, ...options } = {}) {
  const adapter = new BrowserWebSocketClientAdapter(ws, retry)
  const repo = new Repo({
    peerId: `${name}-${randomBytes(6).toString("hex")}`,
    network: [adapter],
    saveDebounceRate: 10,
    ...(storage && { storage: new NodeFSStorageAdapter(storage) }),
    ...options,
  })
  return Object.assign(repo, { adapter, name })
}

/** Waits until each Repo has shaken hands with its server. */
export async function connected(...repos) {
  for (const repo of repos) await until(() => repo.peers.length > 0, `${repo.name} to connect`)
}

export async function disconnected(...repos) {
  for (const repo of repos) await until(() => repo.peers.length === 0, `${repo.name} to notice that it is cut off`)
}

/** Finds a document and waits until it is there, also when nobody had it at first. */
export async function find(repo, url, ms = 30_000) {
  const handle = await repo.find(url, { allowableStates: ["ready", "unavailable"] })
  await until(() => handle.isReady(), `${repo.name} to have ${url}`, ms)
  return handle
}

/** The storage id under which the server acknowledges. */
export function serverStorage(repo) {
  const id = repo.peers.map(peer => repo.getStorageIdOfPeer(peer)).find(Boolean)
  if (!id) throw new Error("the server has no storage id")
  return id
}

/** Reports whether the server has acknowledged everything that a handle holds: the saved light. */
export function saved(handle, storageId) {
  const heads = handle.getSyncInfo(storageId)?.lastHeads
  return !!heads && [...heads].sort().join(" ") === [...handle.heads()].sort().join(" ")
}
