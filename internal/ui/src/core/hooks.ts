// The core, for React: each hook renders its component when what it reads has
// changed, and not otherwise.

import { createContext, useContext, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react"
import { actors, type Author } from "./actors"
import { openContext, type Opened } from "./context"
import { follow } from "./events"
import { lightOf, watchLight, type Light } from "./saved"
import type { Link } from "./link"
import type { ContextModel, Row } from "./model"
import { op } from "./ops"
import type { Block } from "./schema"

const LinkContext = createContext<Link | null>(null)
export const LinkProvider = LinkContext.Provider

/** The connection; its component is rendered anew whenever its state changes. */
export function useLink(): Link {
  const link = useContext(LinkContext)
  if (!link) throw new Error("useLink is used outside of LinkProvider")
  useSyncExternalStore(
    fn => link.onChange(fn),
    () => `${link.connected} ${link.server} ${link.refusal} ${link.trouble}`,
  )
  return link
}

const nothing: Opened = { state: "loading", preview: null, model: null, handle: null, subscribe: () => () => {}, close: () => {} }

/** Opens a context for as long as the component is there. */
export function useModel(url: string): Pick<Opened, "state" | "preview" | "model" | "handle"> {
  const link = useContext(LinkContext)
  const [opened, setOpened] = useState<{ url: string; at: Opened } | null>(null)
  const [, count] = useState(0)
  useEffect(() => {
    if (!link) return
    const at = openContext(link, url)
    setOpened({ url, at })
    const stop = at.subscribe(() => count(n => n + 1))
    return () => {
      stop()
      at.close()
    }
  }, [link, url])
  return opened?.url === url ? opened.at : nothing
}

export function useRows(model: ContextModel): readonly Row[] {
  return useSyncExternalStore(
    fn => model.subscribe("rows", fn),
    () => model.rows,
  )
}

export function useBlock(model: ContextModel, id: string): Block | undefined {
  const subscribe = useMemo(() => (fn: () => void) => model.subscribe({ block: id }, fn), [model, id])
  return useSyncExternalStore(subscribe, () => model.block(id))
}

export function useTitle(model: ContextModel): string {
  return useSyncExternalStore(
    fn => model.subscribe("title", fn),
    () => model.title,
  )
}

export function useLight(model: ContextModel | null): Light {
  const link = useLink()
  const [light, setLight] = useState<Light>(() => lightOf(model, link))
  useEffect(() => watchLight(model, link, setLight), [model, link])
  return light
}

/** Who made a block; the server is asked once for who is not known. */
export function useAuthor(model: ContextModel, id: string): Author {
  const block = useBlock(model, id)
  const actor = block?.actor ?? ""
  const author = useSyncExternalStore(
    fn => actors.subscribe(fn),
    () => actors.principalOf(actor),
  )
  useEffect(() => actors.ask(model.id, id, actor), [model, id, actor])
  const machine = author.kind === "unknown" && (block?.role === "model" || block?.role === "tool")
  return useMemo(() => (machine ? { ...author, kind: "agent" } : author), [author, machine])
}

/** Who somebody of a name is. */
export function useNamed(name: string): Author {
  useSyncExternalStore(
    fn => actors.subscribe(fn),
    () => actors.version,
  )
  return actors.named(name)
}

/** As whom the server knows this browser. */
export interface Me {
  principal: string
  kind: string
  /** On the kernel: none, reader, commenter, editor or owner. */
  role: string
  kernel: string
}

/** Null until the server has said it. */
export function useMe(): Me | null {
  const link = useLink()
  const [now, set] = useState(me)
  useEffect(() => {
    let gone = false
    if (link.connected || !me) askMe().then(known => !gone && set(known), () => {})
    return () => {
      gone = true
    }
  }, [link.connected])
  return now
}

let me: Me | null = null
let asking: Promise<Me> | null = null

function askMe(): Promise<Me> {
  asking ??= op<Record<string, unknown>>("whoami", {})
    .then(known => {
      const text = (v: unknown) => (typeof v === "string" ? v : "")
      const next = { principal: text(known.principal), kind: text(known.kind), role: text(known.role), kernel: text(known.kernel) }
      actors.noteKind(next.principal, next.kind)
      actors.iAm(next.principal)
      if (JSON.stringify(next) !== JSON.stringify(me)) me = next
      return me!
    })
    .finally(() => (asking = null))
  return asking
}

export interface OpState<Out> {
  data: Out | undefined
  error: Error | null
  loading: boolean
  reload(): void
}

/** What an operation answers, asked anew every so many milliseconds, when an event matches and when the server is back. A name of null asks nothing. */
export function useOp<Out>(name: string | null, params: object, { every, on }: { every?: number; on?: string } = {}): OpState<Out> {
  const [state, setState] = useState<Omit<OpState<Out>, "reload">>({ data: undefined, error: null, loading: name !== null })
  const key = JSON.stringify(params)
  const link = useContext(LinkContext)
  const again = useRef(() => {})
  useEffect(() => {
    if (name === null) return setState({ data: undefined, error: null, loading: false })
    const stop = new AbortController()
    let asked = 0
    let failed = false
    const ask = () => {
      const mine = ++asked
      const last = () => !stop.signal.aborted && mine === asked
      setState(s => ({ ...s, loading: true }))
      op<Out>(name, JSON.parse(key) as object, { signal: stop.signal }).then(
        data => {
          if (!last()) return
          failed = false
          setState({ data, error: null, loading: false })
        },
        (error: Error) => {
          if (!last()) return
          failed = true
          setState(s => ({ ...s, error, loading: false }))
        },
      )
    }
    again.current = ask
    ask()
    const timer = every ? setInterval(ask, every) : undefined
    const unfollow = on ? follow(on, ask, { onReset: ask }) : undefined
    const unwatch = link?.onBack(first => (!first || failed) && ask())
    return () => {
      stop.abort()
      clearInterval(timer)
      unfollow?.()
      unwatch?.()
    }
  }, [name, key, every, on, link])
  return { ...state, reload: () => again.current() }
}
