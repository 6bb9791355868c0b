import { type ReactNode, useState } from 'react'
import { isStale, type QueryState } from '../data/read'
import { Bones, Note, Trouble } from './parts'
import { Ago, useNow } from './time'

type Props<Value> = {
  of: QueryState<Value>
  /** Shown while loading, in the size of the content. */
  bones?: ReactNode
  children: (value: Value) => ReactNode
}

/**
 * Content from the server: loading, failed with a retry, or loaded. Content that might be out of date shows its age.
 */
export function Loaded<Value>({ of, bones = <Bones />, children }: Props<Value>) {
  const failure = useFailure(of)
  return (
    <>
      <Unread of={of} />
      {of.data === undefined ? !failure && bones : children(of.data)}
    </>
  )
}

/** Returns why a value is missing or old. An error remains until a fetch succeeds, also during the next attempt. */
export function useFailure({ data, error }: QueryState<unknown>): unknown {
  const [last, setLast] = useState<unknown>(null)
  const failure = error || (data === undefined ? last : null)
  if (failure !== last) setLast(failure)
  return failure
}

/** Why content is missing or out of date, with a retry. Nothing if it is current or still loading. */
export function Unread({ of }: { of: QueryState<unknown> }) {
  const now = useNow()
  const retry = () => void of.refetch()
  const failure = useFailure(of)
  if (failure)
    return <Trouble error={failure} retry={retry} readAt={of.data === undefined ? undefined : of.dataUpdatedAt} />
  if (!isStale(of, now)) return null
  return (
    <Note tone="warn" role="status">
      The update of this part is late. It shows the data of <Ago at={of.dataUpdatedAt} />.
    </Note>
  )
}

type FigureProps<Value> = { of: QueryState<Value>; children: (value: Value) => ReactNode }

/** One figure in a line: a bone while loading, a dash after a failure, and its age if it may be out of date. */
export function Figure<Value>({ of, children }: FigureProps<Value>) {
  const now = useNow()
  const failure = useFailure(of)
  if (of.data !== undefined)
    return (
      <>
        {children(of.data)}
        {isStale(of, now) && (
          <span className="sub tiny figure-age">
            {' '}
            <Ago at={of.dataUpdatedAt} />
          </span>
        )}
      </>
    )
  if (failure)
    return (
      <span className="sub" title="It could not be loaded">
        –<span className="hidden-visually"> could not be read</span>
      </span>
    )
  return <span className="bone is-figure" role="status" aria-label="Loading" />
}
