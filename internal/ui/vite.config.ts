import react from "@vitejs/plugin-react"
import { minify } from "@swc/core"
import type { Plugin } from "vite"
import { defineConfig } from "vitest/config"

/** Where `npm run dev` finds the server. */
const server = process.env.KJ_SERVER ?? "http://127.0.0.1:4321"
const proxy = {
  "/v1": { target: server },
  "/mcp": { target: server },
  "/healthz": { target: server },
  "/sync": { target: server, ws: true },
}

/** Has the engine fetched along with the script that will ask for it. */
const preloadEngine: Plugin = {
  name: "preload-engine",
  transformIndexHtml: {
    order: "post",
    handler: (_, { bundle }) => {
      const wasm = Object.keys(bundle ?? {}).find(name => name.endsWith(".wasm"))
      return wasm ? [{ tag: "link", attrs: { rel: "preload", href: `/${wasm}`, as: "fetch", type: "application/wasm", crossorigin: true }, injectTo: "head" }] : []
    },
  },
}

/** Makes the scripts small: 5 % less to load than by esbuild, and as fast. */
const small = (): Plugin => ({
  name: "small",
  apply: "build",
  renderChunk: { order: "post", handler: async code => ({ code: (await minify(code, { module: true, compress: { ecma: 2020, passes: 2 }, mangle: true })).code, map: null }) },
})

/** The pieces that change seldom and are cached each for itself. */
const chunks: [name: string, packages: RegExp][] = [
  ["engine", /\/node_modules\/(@automerge\/automerge(-repo[a-z-]*)?|cbor-x|xstate|eventemitter3|fast-sha256|bs58check|bs58|base-x|@noble\/hashes|uuid|isomorphic-ws|debug|ms)\//],
  ["react", /\/node_modules\/(react|react-dom|scheduler)\//],
  ["editor", /\/node_modules\/(@codemirror\/(state|view|commands|language)|@lezer\/(common|highlight|lr)|@automerge\/automerge-codemirror|style-mod|crelt|w3c-keyname|@marijn\/find-cluster-break)\//],
]

export default defineConfig({
  plugins: [react(), preloadEngine, small()],
  worker: { format: "es", plugins: () => [small()] },
  resolve: {
    // One engine, which main.tsx starts from a file of its own: the packages
    // bring another along as text, and the page's policy forbids eval. The
    // tests run in Node with the packages as they are.
    alias: process.env.VITEST
      ? []
      : [
          { find: /^@automerge\/automerge$/, replacement: "@automerge/automerge/slim" },
          { find: /^@automerge\/automerge-repo$/, replacement: "@automerge/automerge-repo/slim" },
          { find: /^cbor-x$/, replacement: "cbor-x/index-no-eval" },
        ],
    dedupe: ["@automerge/automerge", "@automerge/automerge-repo", "@codemirror/state", "@codemirror/view", "react", "react-dom"],
  },
  server: { host: "127.0.0.1", proxy },
  preview: { host: "127.0.0.1", proxy },
  build: {
    target: "es2022",
    minify: false, // by `small`
    cssMinify: "esbuild",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
    rollupOptions: {
      output: {
        experimentalMinChunkSize: 8 << 10, // many small files compress badly
        manualChunks: id => chunks.find(([, packages]) => packages.test(id))?.[0],
      },
    },
  },
  css: { modules: { generateScopedName: process.env.NODE_ENV === "production" ? "[hash:base64:6]" : "[name]_[local]_[hash:base64:4]" } },
  test: {
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/core/testing/setup.ts"],
    environment: "node",
    testTimeout: 60_000, // the machine may be busy
  },
})
