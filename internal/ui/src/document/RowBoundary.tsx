import { Component, type ReactNode } from "react"
import css from "./row.module.css"

/** Keeps the failure of one block from taking the others along. It is tried again when the block changes. */
export class RowBoundary extends Component<{ state: unknown; children: ReactNode }, { failed: unknown }> {
  override state: { failed: unknown } = { failed: null }

  static getDerivedStateFromError(): { failed: true } {
    return { failed: true }
  }

  override componentDidUpdate(before: { state: unknown }): void {
    if (this.state.failed && before.state !== this.props.state) this.setState({ failed: null })
  }

  override render(): ReactNode {
    return this.state.failed ? <p className={css.unfit}>This block cannot be shown.</p> : this.props.children
  }
}
