import { Button } from '@mantine/core'
import { Fragment, type ReactNode, useEffect } from 'react'
import { ApiError } from '../data/api'
import { nameTab } from '../data/tab-title'
import { Icon, type IconName } from './icon'
import { Ago } from './time'

export function Page({
  title,
  back,
  lead,
  actions,
  children,
}: {
  title: string
  /** A link back to the previous page. */
  back?: ReactNode
  lead?: ReactNode
  actions?: ReactNode
  children: ReactNode
}) {
  useEffect(() => {
    nameTab(title)
  }, [title])
  return (
    <div className="page">
      <div className="page-head">
        <div>
          {back}
          <h1>{title}</h1>
          {lead && <p className="sub">{lead}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  )
}

type CardProps = { title?: ReactNode; side?: ReactNode; children: ReactNode; label?: string; className?: string }
export const Card = ({ title, side, children, label, className = '' }: CardProps) => (
  <section className={`card pad ${className}`} aria-label={label ?? (typeof title === 'string' ? title : undefined)}>
    {title && (
      <div className="card-head">
        <h2>{title}</h2>
        {side}
      </div>
    )}
    {children}
  </section>
)

export const Tile = ({
  what,
  value,
  more,
  tone,
}: {
  what: string
  value: ReactNode
  more?: ReactNode
  tone?: string | undefined
}) => (
  <dl className={`card tile ${tone ? `t-${tone}` : ''}`}>
    <dt className="what">{what}</dt>
    <dd className="value">{value}</dd>
    {more && <dd className="more">{more}</dd>}
  </dl>
)

type NoteProps = { tone?: 'info' | 'ok' | 'warn' | 'bad'; children: ReactNode; role?: 'alert' | 'status' }
const noteIcons = { info: 'info', ok: 'check', warn: 'alert', bad: 'alert' } as const
export const Note = ({ tone = 'info', children, role }: NoteProps) => (
  <div className={`note t-${tone}`} role={role}>
    <Icon name={noteIcons[tone]} />
    <div>{children}</div>
  </div>
)

/** An error in words, with the request id for support and a retry button. */
type TroubleProps = {
  error: unknown
  retry?: () => void
  /** When the older data that is still shown was read. */
  readAt?: number | undefined
}
export function Trouble({ error, retry, readAt }: TroubleProps) {
  if (!error) return null
  const { message, requestId } =
    error instanceof ApiError ? error : { message: (error as Error).message, requestId: null }
  return (
    <Note tone="bad" role="alert">
      {message}
      {readAt !== undefined && (
        <>
          {' '}
          Shown below is the data of <Ago at={readAt} />.
        </>
      )}
      {requestId && <div className="sub tiny">Request {requestId}</div>}
      {retry && (
        <div className="row">
          <Button size="compact-sm" variant="default" onClick={retry}>
            Try again
          </Button>
        </div>
      )}
    </Note>
  )
}

export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) => (
  <div className="empty">
    <Icon name={icon} size={34} />
    <h2>{title}</h2>
    {children}
  </div>
)

/** A placeholder with the size of the loading content, so nothing jumps when it arrives. */
export const Bones = ({ rows = 6, height = 20 }: { rows?: number; height?: number }) => (
  <div className="stack" role="status" aria-label="Loading">
    {Array.from({ length: rows }, (_, n) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
      <div key={n} className="bone" style={{ height, width: `${96 - ((n * 17) % 30)}%` }} />
    ))}
  </div>
)

const breakable = (text: string, after: RegExp): ReactNode =>
  text.split(after).map((part, n) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the same text has the same parts
    <Fragment key={n}>
      {n > 0 && <wbr />}
      {part}
    </Fragment>
  ))

/** A code in capitals. It can break after an underscore on a narrow line. */
export const Code = ({ children }: { children: string }) => breakable(children, /(?<=_)/)

/** A URL. It breaks before its parts rather than within them. */
export const Url = ({ children }: { children: string }) => breakable(children, /(?<=[^/:])(?=[/?&])/)

/** A list of facts. A `wide` row has its own line. */
export const Facts = ({ rows }: { rows: [what: string, value: ReactNode, width?: 'wide'][] }) => (
  <dl className="facts">
    {rows.map(([what, value, width]) => (
      <div key={what} className={width}>
        <dt>{what}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
)
