// What the servers of this directory have in common.
import { parseArgs } from "node:util"

/** The arguments: --data DIR, which exists, and --durable. */
export function flags() {
  const { values } = parseArgs({ options: { data: { type: "string" }, durable: { type: "boolean", default: false } } })
  if (values.data) return values
  console.error(`usage: ${process.argv[1]} --data DIR [--durable]`)
  process.exit(2)
}

/**
 * Serves on a free port of the loopback interface and says so. On SIGTERM and
 * SIGINT it calls save, which puts what memory holds on the disk, and ends the
 * process; a save that takes longer than half a minute is a failure.
 */
export function serve(http, save) {
  http.listen(0, "127.0.0.1", () => console.log(`listening on http://127.0.0.1:${http.address().port}`))
  const stop = async () => {
    setTimeout(() => process.exit(1), 30_000)
    http.close()
    await save()
    process.exit(0)
  }
  process.once("SIGTERM", stop)
  process.once("SIGINT", stop)
}
