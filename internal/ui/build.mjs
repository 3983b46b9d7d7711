// Builds the page into dist/: `npm run build`, or `npm run build -- DIR` to
// build elsewhere and compare. The same sources always give the same bytes.
import { createHash } from "node:crypto"
import { readFileSync, readdirSync, writeFileSync } from "node:fs"
import { extname, join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { build, transformWithEsbuild } from "vite"

process.chdir(fileURLToPath(new URL(".", import.meta.url)))
const out = resolve(process.argv[2] ?? "dist")

const byText = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
const filesBelow = dir =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(e => e.isFile())
    .map(e => join(e.parentPath ?? e.path, e.name).replaceAll("\\", "/"))
    .sort(byText)
const sha = bytes => createHash("sha256").update(bytes).digest("hex")

/** Everything the page is made of, as the Go test lists it too. */
const sources = ["build.mjs", "index.html", "package.json", "package-lock.json", "tsconfig.json", "vite.config.ts", ...filesBelow("src")]

/** SHA-256 over each file's name, length and bytes. */
function sourcesHash() {
  const sum = createHash("sha256")
  for (const name of sources) {
    const bytes = readFileSync(name)
    sum.update(`${name}\n${bytes.length}\n`).update(bytes)
  }
  return sum.digest("hex")
}

const { output } = await build({ logLevel: "warn", build: { outDir: out, emptyOutDir: true } })

/** The scripts that an address of the page loads before anything else: the first one and what it imports. */
function firstScripts() {
  const chunks = new Map(output.filter(o => o.type === "chunk").map(o => [o.fileName, o]))
  const first = new Set()
  const add = name => {
    if (first.has(name) || !chunks.has(name)) return
    first.add(name)
    chunks.get(name).imports.forEach(add)
  }
  output.filter(o => o.type === "chunk" && o.isEntry).forEach(o => add(o.fileName))
  return [...first].sort(byText)
}

// The worker keeps every file, also those that are loaded only when asked for:
// who goes offline can still open each view.
const hash = sourcesHash()
const assets = output.map(o => o.fileName).filter(name => name.startsWith("assets/")).sort(byText)
const worker = await transformWithEsbuild(readFileSync("src/sw.ts", "utf8"), "sw.ts", {
  minify: true,
  target: "es2022",
  format: "iife", // a worker is no module
  sourcemap: false,
  define: { ASSETS: JSON.stringify(assets.map(name => `/${name}`)), VERSION: JSON.stringify(hash.slice(0, 16)) },
})
writeFileSync(join(out, "sw.js"), worker.code)

const built = filesBelow(out).map(path => path.slice(out.length + 1))
const manifest = { sources: hash, first: firstScripts(), files: Object.fromEntries(built.map(name => [name, sha(readFileSync(join(out, name)))])) }
writeFileSync(join(out, "manifest.json"), JSON.stringify(manifest, null, 2) + "\n")

const kib = bytes => `${(bytes / 1024).toFixed(0)} KiB`
const zipped = names => names.reduce((sum, name) => sum + gzipSync(readFileSync(join(out, name))).length, 0)
const scripts = built.filter(name => extname(name) === ".js")
for (const name of built) if (extname(name) !== ".html") console.log(`${kib(zipped([name])).padStart(9)}  ${name}`)
console.log(`scripts, gzip: ${kib(zipped(scripts))} in all, ${kib(zipped(manifest.first))} at first; engine: ${kib(zipped(built.filter(name => extname(name) === ".wasm")))}`)
