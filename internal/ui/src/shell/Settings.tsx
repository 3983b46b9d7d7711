import { LogOut, Monitor, Moon, Sun } from "lucide-react"
import { useMe } from "../core/hooks"
import { alwaysSource, Button, Check, Dialog, Field, nick, theme, usePreference, type Theme } from "../parts"
import { closeDialog, openDialog } from "./opened"
import styles from "./Dialogs.module.css"

const themes: [Theme, string, typeof Sun][] = [
  ["auto", "System", Monitor],
  ["light", "Light", Sun],
  ["dark", "Dark", Moon],
]

/** What a person chooses for this browser. */
export function SettingsDialog() {
  const me = useMe()
  const [chosen, choose] = usePreference(theme)
  const [name, setName] = usePreference(nick)
  const [source, setSource] = usePreference(alwaysSource)
  return (
    <Dialog title="Settings" width="s" onClose={closeDialog}>
      <div className={styles.section}>
        <fieldset className={styles.choices}>
          <legend>Theme</legend>
          {themes.map(([value, label, Icon]) => (
            <label key={value}>
              <input type="radio" name="theme" value={value} checked={chosen === value} onChange={() => choose(value)} />
              <Icon aria-hidden />
              {label}
            </label>
          ))}
        </fieldset>
        <Field label="Your name here" hint="What others see beside your cursor and in the list of who is there." placeholder={me?.principal ?? ""} maxLength={64} value={name} onChange={e => setName(e.currentTarget.value)} />
        <Check label="Always show the source of Markdown" checked={source} onChange={e => setSource(e.currentTarget.checked)} />
      </div>
      <div className={styles.section}>
        <h3>{me ? `You are ${me.principal}${me.role ? `, ${me.role}` : ""}${me.kernel ? `, at the kernel ${me.kernel}` : ""}.` : "The server has not said yet who you are."}</h3>
        <div>
          <Button icon={<LogOut />} onClick={() => openDialog({ dialog: "signout" })}>
            Sign out…
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
