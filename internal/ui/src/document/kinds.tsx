// The kinds of blocks: what each is called, its mark, and which of them a
// person may begin.

import { Bookmark, Brain, CheckSquare, CircleAlert, CircleHelp, Code, FileText, Flag, Heading1, Heading2, List, MessageSquare, Play, Quote, Share2, SquareTerminal, Text, Wrench } from "lucide-react"
import type { ReactNode } from "react"
import { own } from "../core/own"

const names: Record<string, string> = {
  text: "text",
  thinking: "thinking",
  tool_call: "tool call",
  tool_result: "tool result",
  shell_command: "shell",
  shell_output: "shell output",
  drift: "drift",
  file: "file",
  resource: "resource",
  query: "question",
  run: "run",
  checkpoint: "checkpoint",
  task: "task",
  comment: "comment",
  error: "error",
  conflict: "conflict",
}

/** What a kind is called; one that is not known goes by its own name. */
export const kindName = (kind: string): string => own(names, kind) ?? (kind.replaceAll("_", " ").slice(0, 40) || "block")

const icons: Record<string, ReactNode> = {
  text: <Text />,
  thinking: <Brain />,
  tool_call: <Wrench />,
  tool_result: <Wrench />,
  shell_command: <SquareTerminal />,
  shell_output: <SquareTerminal />,
  drift: <Share2 />,
  file: <FileText />,
  resource: <Bookmark />,
  query: <CircleHelp />,
  run: <Play />,
  checkpoint: <Flag />,
  task: <CheckSquare />,
  comment: <MessageSquare />,
  error: <CircleAlert />,
  conflict: <CircleAlert />,
}

export const kindIcon = (kind: string): ReactNode => own(icons, kind) ?? <Text />

/** Something to begin a block as. */
export interface Start {
  id: string
  label: string
  hint: string
  icon: ReactNode
  kind: string
  /** What its text begins with. */
  text: string
  status?: string
}

export const starts: readonly Start[] = [
  { id: "text", label: "Text", hint: "Markdown", icon: <Text />, kind: "text", text: "" },
  { id: "task", label: "Task", hint: "something to do, with a box to tick", icon: <CheckSquare />, kind: "task", text: "", status: "pending" },
  { id: "comment", label: "Comment", hint: "a remark for others", icon: <MessageSquare />, kind: "comment", text: "" },
  { id: "heading", label: "Heading", hint: "# ", icon: <Heading1 />, kind: "text", text: "# " },
  { id: "subheading", label: "Subheading", hint: "## ", icon: <Heading2 />, kind: "text", text: "## " },
  { id: "list", label: "List", hint: "- ", icon: <List />, kind: "text", text: "- " },
  { id: "quote", label: "Quote", hint: "> ", icon: <Quote />, kind: "text", text: "> " },
  { id: "code", label: "Code", hint: "```", icon: <Code />, kind: "text", text: "```\n\n```" },
]

/** The starts that a few letters may mean, the likeliest first. */
export function startsFor(query: string): Start[] {
  const q = query.toLowerCase()
  const rank = (s: Start) => (s.label.toLowerCase().startsWith(q) ? 0 : s.label.toLowerCase().includes(q) ? 1 : 2)
  return starts.filter(s => rank(s) < 2).sort((a, b) => rank(a) - rank(b))
}

/** The kinds that a block of text may be turned into. */
export const turnable = ["text", "task", "comment"] as const
