// Builds the page into dist/: `npm run build`, or `npm run build -- DIR` to
// build elsewhere and compare. The same sources always give the same bytes.
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "esbuild"

process.chdir(fileURLToPath(new URL(".", import.meta.url)))
const out = process.argv[2] ?? "dist"

/** Everything the page is made of, as the Go test lists it too. */
const sources = ["build.mjs", "package.json", "package-lock.json", "tsconfig.json", ...readdirSync("src").sort().map(name => `src/${name}`)]

/** SHA-256 over each file's name, length and bytes. */
function sourcesHash() {
  const sum = createHash("sha256")
  for (const name of sources) {
    const bytes = readFileSync(name)
    sum.update(`${name}\n${bytes.length}\n`).update(bytes)
  }
  return sum.digest("hex")
}

const files = new Map() // path in dist → bytes
const bundled = await build({
  entryPoints: ["src/main.ts", "src/style.css"],
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  outdir: out,
  publicPath: "/",
  entryNames: "assets/[name]-[hash]",
  assetNames: "assets/[name]-[hash]",
  loader: { ".wasm": "file" },
  alias: { "cbor-x": "cbor-x/index-no-eval" }, // the page's policy forbids eval
  metafile: true,
  write: false,
})
const address = new Map() // name of a source → address in the page
for (const file of bundled.outputFiles) {
  const path = "assets/" + basename(file.path)
  files.set(path, file.contents)
  address.set(basename(file.path).replace(/-[A-Z0-9]{8}(\.\w+)$/, "$1"), "/" + path)
}
address.set("main.ts", address.get("main.js"))

const icon = readFileSync("src/icon.svg")
const iconPath = `assets/icon-${createHash("sha256").update(icon).digest("hex").slice(0, 8).toUpperCase()}.svg`
files.set(iconPath, icon)
address.set("icon.svg", "/" + iconPath)

const html = readFileSync("src/index.html", "utf8").replace(/\{\{([^}]+)\}\}/g, (_, name) => {
  const found = address.get(name)
  if (!found) throw new Error(`index.html asks for ${name}, which the build does not make`)
  return found
})
files.set("index.html", Buffer.from(html))

const hash = sourcesHash()
const worker = await build({
  entryPoints: ["src/sw.ts"],
  bundle: true,
  minify: true,
  format: "iife",
  target: "es2022",
  write: false,
  define: { ASSETS: JSON.stringify([...files.keys()].filter(p => p.startsWith("assets/")).sort().map(p => "/" + p)), VERSION: JSON.stringify(hash.slice(0, 16)) },
})
files.set("sw.js", worker.outputFiles[0].contents)

const sha = bytes => createHash("sha256").update(bytes).digest("hex")
const manifest = { sources: hash, files: Object.fromEntries([...files].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, bytes]) => [path, sha(bytes)])) }

rmSync(out, { recursive: true, force: true })
for (const [path, bytes] of files) {
  mkdirSync(dirname(join(out, path)), { recursive: true })
  writeFileSync(join(out, path), bytes)
}
writeFileSync(join(out, "manifest.json"), JSON.stringify(manifest, null, 2) + "\n")
for (const [path, bytes] of files) if (extname(path) !== ".html") console.log(`${path}  ${(bytes.length / 1024).toFixed(0)} KiB`)
