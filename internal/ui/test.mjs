// Runs the tests of the page's pure parts: `npm test`.
import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

process.chdir(fileURLToPath(new URL(".", import.meta.url)))
const out = mkdtempSync(join("node_modules", ".test-")) // where packages are found from
const tests = readdirSync("test").filter(name => name.endsWith(".test.ts"))
await build({
  entryPoints: tests.map(name => `test/${name}`),
  bundle: true,
  format: "esm",
  platform: "node",
  outdir: out,
  outExtension: { ".js": ".mjs" },
  alias: { "@automerge/automerge/slim": "@automerge/automerge" },
  external: ["node:*", "@automerge/automerge"],
})
const { status } = spawnSync(process.execPath, ["--test", ...tests.map(name => join(out, name.replace(/ts$/, "mjs")))], { stdio: "inherit" })
rmSync(out, { recursive: true, force: true })
process.exit(status ?? 1)
