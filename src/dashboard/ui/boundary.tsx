import { Component, type ReactNode } from 'react'

type Props = {
  /** Where it is: at another place it is tried again. */
  at: string
  fallback: (error: Error) => ReactNode
  children: ReactNode
}
type State = { at: string; error: Error | null }

/** What throws while it is drawn is replaced by words, and by nothing else: what stands around it stays. */
export class Boundary extends Component<Props, State> {
  override state: State = { at: this.props.at, error: null }
  static getDerivedStateFromError(error: Error): Partial<State> {
    return { error }
  }
  static getDerivedStateFromProps({ at }: Props, before: State): State | null {
    return at === before.at ? null : { at, error: null }
  }
  override render() {
    const { error } = this.state
    return error ? this.props.fallback(error) : this.props.children
  }
}
