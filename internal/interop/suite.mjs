#!/usr/bin/env node
// The black-box suite: unmodified npm clients, a peer that speaks the wire
// protocol by hand, and Chromium, against a server process.
//
//   node suite.mjs --kj PATH      against `PATH serve`
//   node suite.mjs --reference    against the npm sync server
//
// --only REGEX picks cases by "group: name", --not REGEX leaves some out,
// --shots DIR keeps screenshots of the page there, --list lists the cases,
// --strict runs also what the npm server is known to get wrong, --verbose lets
// the clients talk. One line per case; the last line is
// `N passed, N failed`.
import { parseArgs } from "node:util"
import { kinds } from "./lib/server.mjs"
import { listed, runAll } from "./lib/suite.mjs"

const { values: flags } = parseArgs({
  options: {
    kj: { type: "string" },
    reference: { type: "boolean" },
    only: { type: "string" },
    not: { type: "string" },
    shots: { type: "string" },
    strict: { type: "boolean" },
    list: { type: "boolean" },
    verbose: { type: "boolean" },
  },
})
if (flags.shots) process.env.KJ_SHOTS = flags.shots

for (const group of ["sync", "values", "offline", "durable", "unavailable", "presence", "gossip", "wire", "hostile", "poison", "fuzz", "context", "browser", "browseredit", "browserdrift", "browserflow", "browserroles", "browserflowgit", "pagesafe", "pageaxe", "pageprint", "pagedoor", "pageflood"]) {
  await import(`./cases/${group}.mjs`)
}

if (flags.list) {
  for (const name of listed()) console.log(name)
} else if (!flags.kj === !flags.reference) {
  console.error("usage: suite.mjs --kj PATH | --reference [--only REGEX] [--not REGEX] [--shots DIR] [--strict] [--list] [--verbose]")
  process.exit(2)
} else {
  const only = flags.only && new RegExp(flags.only)
  const not = flags.not && new RegExp(flags.not)
  const pick = c => {
    const name = `${c.group}: ${c.name}`
    return (!only || only.test(name)) && !(not && not.test(name))
  }
  const failed = await runAll(flags.kj ? kinds.kj(flags.kj) : kinds.reference(), { pick, strict: flags.strict, verbose: flags.verbose })
  process.exit(failed ? 1 : 0)
}
