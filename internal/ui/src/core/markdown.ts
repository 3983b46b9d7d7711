// Blocks as Markdown, for copying, printing and export.

import { own } from "./own"
import type { Block } from "./schema"

/** What stands in front of a block that is no plain text, by its kind. */
const labels: Record<string, string> = { tool_call: "Tool call", tool_result: "Result", shell_command: "Command", shell_output: "Output", thinking: "Thinking", drift: "Drift", query: "Question", error: "Error", conflict: "Conflict", resource: "Resource", run: "Run", checkpoint: "Checkpoint", comment: "Comment" }
/** What is shown as it is, whatever signs are in it. */
const verbatim = new Set(["tool_call", "tool_result", "shell_command", "shell_output", "file", "run", "resource"])
const languages: Record<string, string> = { shell_command: "sh", tool_call: "json" }
const maxQuotes = 8

/**
 * Blocks as Markdown that reads the same elsewhere: texts as they are, records
 * in fences, thoughts and comments as quotations, tasks as a list to tick off.
 * With `title` the whole is a document with a heading.
 */
export function toMarkdown(blocks: readonly Block[], { title = "", depthOf }: { title?: string; depthOf?: (id: string) => number } = {}): string {
  const parts = title.trim() === "" ? [] : [`# ${title.trim().replace(/\s+/g, " ")}`]
  let task = false
  for (const block of blocks) {
    const text = one(block, depthOf?.(block.id) ?? 0)
    if (text === "") continue
    if (task && block.kind === "task") parts[parts.length - 1] += "\n" + text
    else parts.push(text)
    task = block.kind === "task"
  }
  return parts.length === 0 ? "" : parts.join("\n\n") + "\n"
}

function one(block: Block, depth: number): string {
  const content = block.content.replace(/\r\n?/g, "\n").replace(/^\n+|\s+$/g, "")
  if (content === "") return ""
  if (block.kind === "text") return content
  if (block.kind === "task") return `${"  ".repeat(Math.min(depth, maxQuotes))}- [${block.status === "done" ? "x" : " "}] ${content.replaceAll("\n", "\n" + "  ".repeat(Math.min(depth, maxQuotes) + 1))}`
  if (verbatim.has(block.kind)) return label(block) + fenced(content, languageOf(block))
  return quoted(label(block) + content)
}

/** The word in front, for whoever reads the text without this page. */
function label(block: Block): string {
  const path = block.kind === "file" ? pathIn(block.meta) : ""
  if (path !== "") return `**${path.replace(/[*\\`]/g, "\\$&")}**\n\n`
  const word = own(labels, block.kind)
  return word === undefined ? "" : `**${word}**\n\n`
}

function languageOf(block: Block): string {
  if (block.kind === "file") return /\.([a-z0-9]{1,12})$/i.exec(pathIn(block.meta))?.[1] ?? ""
  return own(languages, block.kind) ?? ""
}

function pathIn(meta: string): string {
  try {
    const { path } = JSON.parse(meta) as { path?: unknown }
    return typeof path === "string" ? path.replace(/\s+/g, " ").slice(0, 300) : ""
  } catch {
    return ""
  }
}

/** A fence that is longer than any in what it holds. */
function fenced(text: string, language: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`{3,}/g)].slice(0, 1000).map(m => m[0].length))
  const fence = "`".repeat(Math.max(3, longest + 1))
  return `${fence}${language}\n${text}\n${fence}`
}

const quoted = (text: string) => text.split("\n").map(line => (line === "" ? ">" : `> ${line}`)).join("\n")
