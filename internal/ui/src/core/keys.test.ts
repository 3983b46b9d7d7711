import assert from "node:assert/strict"
import { test } from "vitest"
import { isPressed, isTyping, type Pressed } from "./keys"

const press = (key: string, held = "", code = ""): Pressed => ({ key, code, ctrlKey: held.includes("c"), metaKey: held.includes("m"), altKey: held.includes("a"), shiftKey: held.includes("s") })

test("keys are known", () => {
  const cases: [string, Pressed, boolean][] = [
    ["Mod+K", press("k", "c"), true],
    ["Mod+K", press("k", "m"), false],
    ["Mod+K", press("k"), false],
    ["Mod+K", press("K", "cs"), false],
    ["Shift+Mod+K", press("K", "cs"), true],
    ["Mod+K", press("л", "c", "KeyK"), true],
    ["?", press("?", "s"), true],
    ["?", press("?"), true],
    ["?", press("?", "c"), false],
    ["/", press("/"), true],
    ["Mod+\\", press("\\", "c"), true],
    ["Mod++", press("+", "cs"), true],
    ["+", press("+", "s"), true],
    ["Alt+ArrowUp", press("ArrowUp", "a"), true],
    ["Alt+ArrowUp", press("ArrowUp", "as"), false],
    ["g", press("g"), true],
  ]
  for (const [keys, e, want] of cases) assert.equal(isPressed(keys, e, false), want, `${keys} ${JSON.stringify(e)}`)
  assert.ok(isPressed("Mod+K", press("k", "m"), true))
  assert.deepEqual(["g", "?", "Shift+G", "Mod+K", "Alt+ArrowUp", "F2", "Escape"].map(isTyping), [true, true, true, false, false, false, true])
})
