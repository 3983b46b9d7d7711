// Presence of unmodified npm clients on two servers of one kernel:
// node nodes.mjs WS-URL WS-URL. It prints "ok" and what was seen, or fails.
import { Presence } from "@automerge/automerge-repo"
import { client, connected, find } from "./lib/client.mjs"
import { until } from "./lib/wait.mjs"

const [one, two] = process.argv.slice(2)
const [amy, ben, cleo] = [client("amy", one), client("ben", two), client("cleo", two)]
await connected(amy, ben, cleo)

const start = (handle, name) => {
  const presence = new Presence({ handle })
  presence.start({ initialState: { name, at: 0 }, heartbeatMs: 300, peerTtlMs: 3000 })
  return presence
}
const seen = (presence, repo) => presence.getPeerStates().value[repo.peerId]?.value

const a = amy.create({ x: 1 })
const b = await find(ben, a.url)
const [pa, pb] = [start(a, "Amy"), start(b, "Ben")]
await until(() => seen(pa, ben)?.name === "Ben" && seen(pb, amy)?.name === "Amy", "each other, across servers")
const began = performance.now()
pa.broadcast("at", 42)
await until(() => seen(pb, amy)?.at === 42, "amy's move")
const took = performance.now() - began
const pc = start(await find(cleo, a.url), "Cleo")
await until(() => seen(pc, amy)?.at === 42 && seen(pc, ben)?.name === "Ben" && seen(pa, cleo)?.name === "Cleo", "the late joiner")

const got = []
b.on("ephemeral-message", m => m.message.n !== undefined && got.push(m.message.n))
for (let n = 0; n < 200; n++) a.broadcast({ n })
await until(() => got.length >= 200, "all of amy's messages")
if (got.join() !== [...Array(200).keys()].join()) throw new Error(`ben got ${got.join(" ")}, want 0 to 199 in order, once`)

pb.stop()
await until(() => !seen(pa, ben) && !seen(pc, ben), "ben's goodbye")
console.log(`ok a move was seen after ${took.toFixed(1)} ms`)
process.exit(0)
