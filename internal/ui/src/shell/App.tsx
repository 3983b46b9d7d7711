// The frame around the views: the list at the left, a bar above, the view.

import "../parts/tokens.css"
import { lazy, Suspense, useCallback, useEffect, useRef, useState, type RefObject } from "react"
import { useCommands } from "../core/commands"
import { placeOf as placeOfContext } from "../core/directory"
import { useLink } from "../core/hooks"
import { format, parse, useRoute, type Route } from "../core/route"
import { Questions, Spinner, Splitter, Toasts, usePreference } from "../parts"
import styles from "./App.module.css"
import { Banners } from "./Banners"
import { usePageTitle, useTheme } from "./browser"
import { contextCommands, shellCommands } from "./commands"
import { Dialogs } from "./Dialogs"
import { ErrorBoundary } from "./ErrorBoundary"
import { maxWidth, minWidth, sidebarShown, sidebarWidth, useDrawer, useNarrow } from "./layout"
import { Sidebar } from "./Sidebar"
import { TopBar } from "./TopBar"
import { CitationDialog, nameOfView, View } from "./views"

const DriftDialogs = lazy(async () => ({ default: (await import("../drift/DriftDialogs")).DriftDialogs }))

/** The page. */
export default function App() {
  const link = useLink()
  const route = useRoute()
  const shown = useBehind(route)
  const [cited, setCited] = useState<Route | null>(null) // what a citation is from that was opened first
  const found = useCallback((context: string, block: string) => setCited(known => known ?? parse(placeOfContext(context, block))), [])
  const at = shown ?? cited ?? { view: "home" }
  const place = placeOf(at)
  const narrow = useNarrow()
  const [beside, setBeside] = usePreference(sidebarShown)
  const [width, setWidth] = usePreference(sidebarWidth)
  const [drawer, setDrawer] = useDrawer(JSON.stringify(route))
  const listShown = narrow ? drawer : beside
  const setList = narrow ? setDrawer : setBeside
  const list = useRef<HTMLElement>(null)
  const Frame = narrow ? "div" : "aside"
  const unread = usePageTitle(at)
  useTheme()
  useCommands(() => shellCommands(() => setList(!listShown), () => setList(true)), [setList, listShown])
  useCommands(() => contextCommands(at), [place])
  const first = useRef(place)
  useEffect(() => {
    // Another view than the first: a keyboard that is nowhere comes to it, once what was over the page is closed.
    if (first.current === place) return
    first.current = ""
    const soon = setTimeout(() => document.activeElement === document.body && document.getElementById("stage")?.focus({ preventScroll: true }), 100)
    return () => clearTimeout(soon)
  }, [place])
  useEffect(() => {
    // Over the page, the list has the focus for itself, and gives it back.
    if (!drawer) return
    list.current?.querySelector<HTMLElement>("a, button")?.focus()
    return () => document.getElementById("list-button")?.focus()
  }, [drawer])
  return (
    <div className={styles.app}>
      <a
        className={styles.skip}
        href="#stage"
        onClick={e => {
          e.preventDefault()
          document.getElementById("stage")?.focus()
        }}
      >
        Skip to the document
      </a>
      {listShown && (
        <Frame
          ref={list as RefObject<never>}
          className={narrow ? styles.drawer : styles.beside}
          style={narrow ? undefined : { width }}
          {...(narrow ? { role: "dialog", "aria-modal": true, "aria-label": "Contexts and views" } : { "aria-label": "Sidebar" })}
          onKeyDown={e => narrow && e.key === "Escape" && setDrawer(false)}
        >
          <ErrorBoundary what="The list of contexts">
            <Sidebar route={at} onClose={narrow ? () => setDrawer(false) : undefined} />
          </ErrorBoundary>
        </Frame>
      )}
      {listShown && narrow && <div className={styles.shade} onClick={() => setDrawer(false)} />}
      {listShown && !narrow && <Splitter label="Width of the list" value={width} min={minWidth} max={maxWidth} onChange={setWidth} />}
      <div className={styles.column} inert={drawer}>
        <TopBar route={at} listShown={listShown} onList={() => setList(!listShown)} unread={unread} />
        <Banners link={link} />
        <main id="stage" tabIndex={-1} aria-label={nameOfView[at.view]} className={styles.stage}>
          <ErrorBoundary key={place} what={nameOfView[at.view]}>
            <Suspense fallback={<div className={styles.loading}><Spinner large label="Loading" /></div>}>
              <View route={at} />
            </Suspense>
          </ErrorBoundary>
        </main>
      </div>
      {route.view === "cite" && (
        <ErrorBoundary key={route.handle} what="The citation">
          <Suspense fallback={null}>
            <CitationDialog handle={route.handle} onClose={() => location.replace(format(at))} onFound={found} />
          </Suspense>
        </ErrorBoundary>
      )}
      <Dialogs />
      <ErrorBoundary what="A dialog">
        <Suspense fallback={null}>
          <DriftDialogs />
        </Suspense>
      </ErrorBoundary>
      <Questions />
      <Toasts />
    </div>
  )
}

/** What a citation lies over: the last address that was none. */
function useBehind(route: Route): Route | null {
  const behind = useRef<Route | null>(null)
  if (route.view !== "cite") behind.current = route
  return behind.current
}

/** What makes one view another: a new one begins with a clean slate. */
const placeOf = (route: Route): string => ("url" in route ? `${route.view} ${route.url}` : route.view)
