import { lazy, Suspense } from "react"
import { ContextDialogs } from "./ContextDialogs"
import { useDialog } from "./opened"
import { ErrorBoundary } from "./ErrorBoundary"

const Palette = lazy(async () => ({ default: (await import("./Palette")).Palette }))
const KeyHelp = lazy(async () => ({ default: (await import("./KeyHelp")).KeyHelp }))
const SettingsDialog = lazy(async () => ({ default: (await import("./Settings")).SettingsDialog }))
const SignOut = lazy(async () => ({ default: (await import("./SignOut")).SignOut }))

/** The dialog of the shell that is open now. */
export function Dialogs() {
  const opened = useDialog()?.dialog
  return (
    <ErrorBoundary key={opened} what="This dialog">
      <Suspense fallback={null}>
        {opened === "palette" && <Palette />}
        {opened === "keys" && <KeyHelp />}
        {opened === "settings" && <SettingsDialog />}
        {opened === "signout" && <SignOut />}
        <ContextDialogs />
      </Suspense>
    </ErrorBoundary>
  )
}
