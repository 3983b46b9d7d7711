import { isValidAutomergeUrl } from "@automerge/automerge-repo/slim"
import { lazy, useEffect } from "react"
import { useLink, useModel, useTitle } from "../core/hooks"
import type { ContextModel } from "../core/model"
import { go } from "../core/route"
import { Button } from "../parts"
import { contextList } from "./contextlist"
import { JsonView } from "./JsonView"
import { Page } from "./Page"
import { Preview } from "./Preview"
import { noteRecent } from "./recent"
import { setShown } from "./shown"

const loadView = () => import("../document/ContextView")
const ContextView = lazy(loadView)

/** What an address of a document leads to: the context, or why there is none to show. */
export function ContextPage({ url, block }: { url: string; block?: string }) {
  return isValidAutomergeUrl(url) ? <Valid url={url} block={block} /> : <Mistaken />
}

function Valid({ url, block }: { url: string; block?: string }) {
  const link = useLink()
  const { state, preview, model } = useModel(url)
  useEffect(() => void loadView().catch(() => {}), []) // while the document comes
  useEffect(() => {
    setShown(model)
    return () => setShown(null)
  }, [model])
  switch (state) {
    case "ready":
      return model && <Ready model={model} block={block} />
    case "notcontext":
      return <JsonView url={url} />
    case "unavailable":
      return link.connected ? <Nobodys url={url} /> : <Away />
    default:
      return <Preview rows={preview} />
  }
}

function Ready({ model, block }: { model: ContextModel; block?: string }) {
  const title = useTitle(model)
  useEffect(() => contextList.retitle(model.url, title), [model, title])
  useEffect(() => noteRecent(model.url), [model])
  return <ContextView model={model} reveal={block} />
}

const home = <Button onClick={() => go({ view: "home" })}>Go to the first page</Button>

export function Mistaken() {
  return (
    <Page title="This is not a document’s address" actions={home}>
      <p>
        An address looks like <code>automerge:2j9…</code>; this one has a mistake in it. Was it cut short when it was copied?
      </p>
    </Page>
  )
}

function Nobodys({ url }: { url: string }) {
  return (
    <Page title="Nobody has this document" actions={home}>
      <p>The server does not know it, or you may not read it. It appears here as soon as somebody brings it.</p>
      <p>
        <code>{url}</code>
      </p>
    </Page>
  )
}

function Away() {
  return (
    <Page title="Not in this browser" actions={home}>
      <p>The server cannot be reached, and this document was never opened here. It appears when the server is back.</p>
    </Page>
  )
}
