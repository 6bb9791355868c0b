import { Button } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type ReactNode, Suspense, useState } from 'react'
import { Link } from 'wouter'
import { providerName } from '../../domain/execution/provider'
import type { IncidentsView } from '../../http/dashboard/incidents'
import { chainName, clock, grouped } from '../data/format'
import { lazily } from '../data/lazily'
import { ifLoaded } from '../data/read'
import { useHere } from '../data/session'
import { useTenantName } from '../data/tenant'
import { countOf, useCounts, waitingForProvider, waitsForRetry } from '../live/counts'
import { PauseButton } from '../pages/operations/pause-button'
import { isOwnOf, mayEnd, scopeName } from '../pages/operations/pause-scopes'
import { disabledWords } from '../pages/webhooks/endpoint-data'
import { Icon } from '../ui/icon'
import { Ago } from '../ui/time'
import { LoadingDialog } from '../ui/toast'
import { routingText } from './routing-words'
import { type IncidentPause, useIncidents } from './use-incidents'

const RetryDialog = lazily(() => import('../pages/operations/retry-dialog').then((m) => ({ default: m.RetryDialog })))

/** A screen as low as a laptop's at 400 % zoom, which the lines would fill above every page. */
const lowScreen = '(max-height: 400px)'

/** The strip above every page: pauses and failures, with buttons for members who may act. */
export default function Incidents() {
  const incidents = useIncidents()
  const isLow = useMediaQuery(lowScreen) ?? false
  const { data } = incidents
  const count = (incidents.error ? 1 : 0) + (data ? countOfLines(data) : 0)
  return (
    <section className="incidents" aria-label="Current problems" aria-live="polite">
      {count > 0 && (
        <Lines count={count} isLow={isLow}>
          {incidents.error && <UnreadLine incidents={incidents} />}
          {data && <IncidentLines incidents={data} />}
        </Lines>
      )}
    </section>
  )
}

const countOfLines = ({ pauses, routing, chains, endpoints }: IncidentsView): number =>
  pauses.length + (routing ? 1 : 0) + chains.length + endpoints.length

type LinesProps = { count: number; isLow: boolean; children?: ReactNode }
/**
 * The lines: on a low screen behind their number, to leave room for the page. They stay in the same place of the tree,
 * so that a dialog opened from one survives the keyboard of a phone, which makes the screen lower.
 */
export function Lines({ count, isLow, children }: LinesProps) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details open={!isLow || isOpen} onToggle={({ currentTarget }) => isLow && setOpen(currentTarget.open)}>
      <summary hidden={!isLow}>{count === 1 ? '1 current problem' : `${count} current problems`}</summary>
      <div className="lines-of-strip">{children}</div>
    </details>
  )
}

const UnreadLine = ({ incidents }: { incidents: ReturnType<typeof useIncidents> }) => (
  <Line
    act={
      <Button size="compact-sm" variant="default" onClick={() => void incidents.refetch()}>
        Try again
      </Button>
    }
  >
    <b>Pauses and outages could not be read.</b>{' '}
    {incidents.data ? (
      <>
        What is shown here is from <Ago at={incidents.dataUpdatedAt} />.
      </>
    ) : (
      'Some might not be shown.'
    )}
  </Line>
)

export const IncidentLines = ({ incidents: { pauses, routing, providers, chains, endpoints } }: IncidentsProps) => (
  <>
    {pauses.map((pause) => (
      <PauseLine key={`${pause.scope}${pause.organizationId ?? ''}`} pause={pause} />
    ))}
    {routing && <RoutingLine routing={routing} providers={providers} />}
    {chains.map(({ chainId, chainKey, kind, since }) => (
      <Line
        key={`${kind}${chainId}`}
        // A chain that is paused already has its own line, with the button that ends the pause.
        act={
          <PlatformOnly>
            <PauseButton
              scope={`chain:${chainId}`}
              isOffered={!pauses.some(({ scope }) => scope === `chain:${chainId}`)}
            />
          </PlatformOnly>
        }
      >
        <b>
          {kind === 'HEAD'
            ? `${chainName(chainKey)} cannot be read`
            : `The scanner of ${chainName(chainKey)} has stopped`}{' '}
          {sinceOf(since)}.
        </b>{' '}
        Deposits there are found later, but none is lost.
      </Line>
    ))}
    {endpoints.map(({ id, host, reason, since }) => (
      <Line
        key={id}
        act={
          <Button component={Link} href={`/webhooks/${id}`} size="compact-sm" variant="default">
            Open
          </Button>
        }
      >
        <b>
          Your webhook endpoint at {host} has been disabled {sinceOf(since)}.
        </b>{' '}
        {disabledWords(reason)}
      </Line>
    ))}
  </>
)
type IncidentsProps = { incidents: IncidentsView }

const sinceOf = (at: string | null): string => (at === null ? 'now' : `since ${clock(Date.parse(at))}`)

const Line = ({ tone = 'warn', act, children }: { tone?: 'warn' | 'bad'; act?: ReactNode; children: ReactNode }) => (
  <div className={`note t-${tone}`}>
    <Icon name={tone === 'bad' ? 'alert' : 'pause'} />
    <div className="said">{children}</div>
    {act && <div className="row acts">{act}</div>}
  </div>
)

function PlatformOnly({ children }: { children: ReactNode }) {
  const { organization, isOperator } = useHere()
  return organization.isPlatform && isOperator ? children : null
}

function PauseLine({ pause }: { pause: IncidentPause }) {
  const { organization, isOperator } = useHere()
  const nameOf = useTenantName()
  const { head, then } = pauseText(pause, { here: organization.id, isPlatform: organization.isPlatform, nameOf })
  return (
    <Line act={isOperator && mayEnd(pause, organization) && <PauseButton scope={pause.scope} pause={pause} />}>
      <b>
        {head}, {sinceOf(pause.since)}
        {pause.until && `, until ${clock(Date.parse(pause.until))}`}.
      </b>{' '}
      {then} <span className="sub">Reason: {pause.reason}</span>
    </Line>
  )
}

const waitingWords = (count: number): string =>
  count === 0 ? 'no deposits are' : count === 1 ? '1 deposit is' : `${grouped(count)} deposits are`

type Routing = NonNullable<IncidentsView['routing']>
type Failing = IncidentsView['providers'][number]

function RoutingLine({ routing, providers }: { routing: Routing; providers: Failing[] }) {
  const { isOperator } = useHere()
  const [isAsking, setAsking] = useState(false)
  const counts = useCounts()
  const again = ifLoaded(counts, (rows) => countOf(rows, waitsForRetry))
  const felt = providers.filter(({ isPaused, isAway }) => !isPaused && (isAway || routing.state === 'PARTLY'))
  const isDown = routing.state === 'DOWN'
  const head = routingText(
    routing.state,
    felt.map(({ provider }) => providerName(provider)),
    felt.length > 0 && felt.every((each) => each.isRefused),
    felt.length === 1 ? felt[0]!.failsBetween : [],
  )
  return (
    <Line
      tone="bad"
      act={
        isOperator && (
          <>
            <PlatformOnly>
              <PauseButton
                scope={felt.length === 1 ? `provider:${felt[0]!.provider}` : null}
                isOffered={felt.length > 0}
              />
            </PlatformOnly>
            {again !== undefined && again > 0 && (
              <Button size="compact-sm" variant="default" onClick={() => setAsking(true)}>
                Retry {grouped(again)}
              </Button>
            )}
          </>
        )
      }
    >
      <b>
        {head} {sinceOf(routing.since)}
        <span aria-live="off">{ifLoaded(counts, (rows) => `; ${waitingWords(waitingForProvider(rows))} waiting`)}</span>
        .
      </b>{' '}
      {isDown
        ? 'Deposits are still found and kept safe. They continue automatically when a provider recovers.'
        : 'Deposits use another provider if it has a route. The others wait and are kept safe.'}
      <Suspense fallback={<LoadingDialog onClose={() => setAsking(false)} />}>
        {isAsking && <RetryDialog filter={{ status: 'FAILED' }} onClose={() => setAsking(false)} />}
      </Suspense>
    </Line>
  )
}

type Viewer = { here: string; isPlatform: boolean; nameOf: (organizationId: string) => string }

const safe = 'Deposits are still found and kept safe. They continue automatically when the pause ends.'

/** Describes a pause and its effect for the reader. */
export function pauseText(pause: IncidentPause, { here, isPlatform, nameOf }: Viewer) {
  const { scope, organizationId } = pause
  const [kind, first = ''] = scope.split(':')
  const said = (head: string, then = safe) => ({ head, then })
  switch (kind) {
    case 'all':
      return said(isPlatform ? 'Everything has been paused' : 'All routing has been paused by the platform')
    case 'organization':
      return isOwnOf(pause, here)
        ? said('Your organization has paused its routing')
        : said(`${nameOf(organizationId!)} has paused its own routing`)
    case 'tenant':
      return isPlatform && first !== here
        ? said(`${nameOf(first)} has been paused`)
        : said('Your organization’s routing has been paused by the platform')
    case 'provider':
      return said(`${scopeName(scope, nameOf)} has been paused`, 'Other providers replace it if they have a route.')
    default:
      return said(`${scopeName(scope, nameOf)} has been paused`)
  }
}
