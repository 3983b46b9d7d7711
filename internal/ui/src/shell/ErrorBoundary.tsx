import { CircleAlert } from "lucide-react"
import { Component, type ErrorInfo, type ReactNode } from "react"
import { Button, Empty, toast } from "../parts"

interface Props {
  /** What is inside, for the words: "The inbox". */
  what: string
  children: ReactNode
}
interface State {
  error: unknown
  failed: boolean
  where: string
}

/** Keeps what breaks inside to itself: the rest of the page goes on. */
export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, failed: false, where: "" }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error, failed: true }
  }

  override componentDidCatch(_: unknown, info: ErrorInfo): void {
    this.setState({ where: info.componentStack ?? "" })
  }

  #again = () => this.setState({ error: null, failed: false, where: "" })

  #copy = () => {
    const { error, where } = this.state
    const details = [`Kaijutsu, ${this.props.what}`, location.hash, navigator.userAgent, error instanceof Error ? (error.stack ?? error.message) : String(error), where].join("\n")
    navigator.clipboard.writeText(details).then(
      () => toast({ text: "Copied.", kind: "ok" }),
      () => toast({ text: "The browser does not let the page write to the clipboard.", kind: "error" }),
    )
  }

  override render(): ReactNode {
    if (!this.state.failed) return this.props.children
    const { error } = this.state
    const stale = isStale(error)
    const action = (
      <>
        {stale ? <Button variant="primary" onClick={() => location.reload()}>Reload</Button> : <Button variant="primary" onClick={this.#again}>Try again</Button>}
        <Button onClick={this.#copy}>Copy details</Button>
      </>
    )
    return (
      <div role="alert">
        <Empty icon={<CircleAlert aria-hidden />} title={stale ? "A part of the page could not be loaded" : `${this.props.what} cannot be shown`} action={action}>
          {stale ? "The server may have a newer page, or cannot be reached." : error instanceof Error ? error.message : String(error)}
        </Empty>
      </div>
    )
  }
}

/** Whether a part of the page, loaded when it is first needed, was not to be had. */
const isStale = (error: unknown) => error instanceof TypeError && /dynamically imported module|module script|Importing a module/i.test(error.message)
