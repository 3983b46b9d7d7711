// What people do on the page, in a word.
import { Person } from "./browser.mjs"

/** A person's browser, signed in as an actor, with a context open if its URL is given. */
export async function signedIn(t, who, url = "", http = t.server.http) {
  const person = await Person.at(t)
  await person.context.grantPermissions(["clipboard-read", "clipboard-write"])
  await person.tab.goto(`${http}/?token=${who.token}${url && `#${url}`}`)
  if (url.startsWith("automerge:")) await person.tab.locator("section.context").waitFor()
  return person
}

/** Does something by its name in the command palette. */
export async function command(person, title) {
  await person.tab.keyboard.press("Control+k")
  const palette = person.tab.getByRole("dialog", { name: "Command palette" })
  await palette.getByRole("combobox").fill(title)
  await palette.getByRole("option", { name: title }).first().click()
  await palette.waitFor({ state: "hidden" })
}

export const button = (at, name) => at.getByRole("button", { name, exact: true })
export const dialog = (person, name) => person.tab.getByRole("dialog", { name })

/** Waits for the page to say something in passing. */
export const said = (person, text) => person.tab.getByRole("region", { name: "Messages" }).getByText(text).waitFor()
