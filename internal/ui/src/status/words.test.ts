import { expect, it } from "vitest"
import { heldFrom, nodeStatusFrom, questionsFrom, serverStatusFrom } from "./answers"
import { leftText, microsText, natsText, outboxText, sizeText, streamsText, waitingText } from "./words"

it("says times and sizes in words", () => {
  expect([500, 119_000, 120_000, 3_900_000, 90_000_000, 200_000_000].map(leftText)).toEqual(["1 s", "119 s", "2 min", "1 h 5 min", "25 h", "2 d 7 h"])
  expect([900, 1500, 42_000, 2_000_000].map(microsText)).toEqual(["900 µs", "1.5 ms", "42 ms", "2.0 s"])
  expect([0, 1536, 5 * 2 ** 30].map(sizeText)).toEqual(["0 B", "1.5 KiB", "5.0 GiB"])
})

it("says how a node stands to the others", () => {
  const s = nodeStatusFrom({ nats: { connected: true, server: "n1" }, streams: [{ shard: 0, caught_up: true }, { shard: 1, lag: 3 }], outbox: { changes: 2, bytes: 2048, oldest_ms: 3000 } })
  expect(natsText(s)).toBe("connected to n1")
  expect(streamsText(s)).toBe("1 of 2 behind, by 3 batches")
  expect(outboxText(s)).toBe("2 changes, 2.0 KiB, the oldest for 3 s")
  expect(natsText(nodeStatusFrom({ nats: { embedded: true } }))).toContain("alone")
})

it("reads what is there, and nonsense as nothing", () => {
  expect(nodeStatusFrom(null)).toMatchObject({ nodes: [], problems: [], outbox: { changes: 0 } })
  expect(serverStatusFrom({ connections: "no" }).connections).toBeNull()
  const [c] = serverStatusFrom({ connections: [{ principal: "amy", bytes_waiting: 2048, documents_waiting: 1, messages_waiting: -4 }] }).connections!
  expect(waitingText(c!)).toBe("1 document, 2.0 KiB")
  expect(questionsFrom({ questions: [{}, { context: "c", block_id: "b", message: 7 }] })).toMatchObject([{ block: "b", message: "", answerable: false }])
  expect(heldFrom({ items: [{ drift: "d", state: "staged" }, { drift: "e", state: "held", from: { kernel: "other" }, act: "pending" }] })).toMatchObject([{ drift: "e", kernel: "other", act: true }])
})
