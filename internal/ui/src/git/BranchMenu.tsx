import { GitBranch } from "lucide-react"
import { useMemo, useState } from "react"
import { useOp } from "../core/hooks"
import { op } from "../core/ops"
import { ask, Button, Check, Dialog, Field, Menu, toast } from "../parts"
import { branchesFrom, type Mount } from "./answers"
import { errorAt, errorElsewhere, useDeed, wordsOf } from "./deeds"
import styles from "./git.module.css"
import { many } from "./words"

const shown = 30

/** The branch that a mount is on, and how to go to another. */
export function BranchMenu({ mount, changes, onChange }: { mount: Mount; changes: number; onChange(): void }) {
  const [open, setOpen] = useState(false)
  const [making, setMaking] = useState(false)
  const list = useOp<unknown>(open ? "git_branch" : null, { mount: mount.path, action: "list" })
  const branches = useMemo(() => branchesFrom(list.data).branches.filter(b => !b.remote), [list.data])
  const { busy, run } = useDeed()

  const go = async (name: string) => {
    const text = changes > 0 ? `${many(changes, "file is", "files are")} not committed. What would be lost is refused; what is in blocks stays in the context of ${mount.branch || "this branch"}.` : "Each branch has blocks of its own. Those of this one stay as they are."
    if (!(await ask({ title: `Switch to ${name}?`, text, verb: "Switch" }))) return
    await run(async () => {
      try {
        const { notice } = branchesFrom(await op<unknown>("git_branch", { mount: mount.path, action: "switch", name }))
        toast({ kind: "ok", text: notice || `${mount.path} is on ${name}` })
        onChange()
      } catch (err) {
        toast({ kind: "error", text: wordsOf(err) })
      }
    })
  }

  return (
    <>
      <Menu
        label="Branches"
        align="start"
        open={open}
        onOpenChange={setOpen}
        trigger={
          <Button size="s" icon={<GitBranch aria-hidden />} busy={busy} title={mount.head ? `At ${mount.head.slice(0, 12)}` : "No commit yet"}>
            {mount.branch || "no branch"}
          </Button>
        }
        items={[
          { heading: list.error ? wordsOf(list.error) : list.data === undefined ? "Reading…" : "Switch to" },
          ...branches.slice(0, shown).map(b => ({ label: b.worktree && !b.current ? `${b.name} (checked out elsewhere)` : b.name, checked: b.current, disabled: b.current || b.worktree !== "", run: () => void go(b.name) })),
          branches.length > shown && { heading: `and ${branches.length - shown} more` },
          "-",
          { label: "New branch…", run: () => setMaking(true) },
        ]}
      />
      {making && (
        <NewBranch
          mount={mount}
          onClose={() => setMaking(false)}
          onDone={() => {
            setMaking(false)
            onChange()
          }}
        />
      )}
    </>
  )
}

function NewBranch({ mount, onClose, onDone }: { mount: Mount; onClose(): void; onDone(): void }) {
  const [name, setName] = useState("")
  const [start, setStart] = useState("")
  const [then, setThen] = useState(true)
  const { busy, error, run } = useDeed()
  const make = () =>
    run(async () => {
      await op("git_branch", { mount: mount.path, action: "create", name: name.trim(), ...(start.trim() ? { start: start.trim() } : {}) })
      if (then) await op("git_branch", { mount: mount.path, action: "switch", name: name.trim() })
      onDone()
    })
  return (
    <Dialog
      title="New branch"
      width="s"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="primary" type="submit" form="branch" busy={busy}>Create</Button>
        </>
      }
    >
      <form
        id="branch"
        className={styles.form}
        onSubmit={e => {
          e.preventDefault()
          void make()
        }}
      >
        <Field label="Name" value={name} onChange={e => setName(e.target.value)} error={errorAt(error, "name")} required autoFocus spellCheck={false} />
        <Field label="Begins at" hint="A commit, a branch or a tag. Left empty: where the mount is." value={start} onChange={e => setStart(e.target.value)} error={errorAt(error, "start")} spellCheck={false} />
        <Check label="Switch to it" checked={then} onChange={e => setThen(e.target.checked)} />
        {errorElsewhere(error, ["name", "start"]) && <p className={styles.error} role="alert">{errorElsewhere(error, ["name", "start"])}</p>}
      </form>
    </Dialog>
  )
}
