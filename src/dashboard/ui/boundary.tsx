import { Component, type ReactNode } from 'react'

type Props = {
  /** The page's URL. When it changes, the children are rendered again. */
  at: string
  fallback: (error: Error) => ReactNode
  children: ReactNode
}
type State = { at: string; error: Error | null }

/** Shows the fallback in place of children that throw while they render. Everything around them stays. */
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
