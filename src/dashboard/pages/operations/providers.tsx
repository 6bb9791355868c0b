import { useQuery } from '@tanstack/react-query'
import { providerName, providerStateOf } from '../../../domain/execution/provider'
import type { ProviderView } from '../../../http/operator/operator-reads'
import { ask } from '../../data/api'
import { capital, clock, grouped } from '../../data/format'
import { allOf, ifLoaded } from '../../data/read'
import { useHere } from '../../data/session'
import { placesOf } from '../../incidents/routing-words'
import { useIncidents } from '../../incidents/use-incidents'
import { Loaded } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'
import { PauseButton } from './pause-button'
import { type Pause, usePauses } from './pauses'

type Provider = typeof ProviderView.infer

const ms = (value: number | null): string => (value === null ? '–' : `${grouped(Math.round(value))} ms`)

/** From this share of failed calls, a healthy provider's row notes that its latest calls succeeded. */
const troubledRate = 0.2

const stateOf = (provider: Provider): string => capital(providerStateOf(provider))

/** The routing providers, their health, and a switch for each. */
export function Providers() {
  const { organization } = useHere()
  const providers = useQuery({
    queryKey: ['providers', organization.id],
    queryFn: () => ask<Provider[]>('/operator/providers'),
    refetchInterval: 3_000,
  })
  const pauses = usePauses()
  return (
    <Card
      title="Routing providers"
      side={<span className="sub tiny">State by the latest calls, figures of the last 10 minutes</span>}
    >
      <Loaded of={allOf(providers, pauses)} bones={<Bones rows={2} />}>
        {([rows, paused]) => (
          <Table
            label="Routing providers"
            kind="folds"
            heads={[
              'Provider',
              'State now',
              { right: 'Errors in 10 min' },
              { right: 'Median response' },
              'Quote requests',
              { hidden: 'Actions' },
            ]}
          >
            {rows.map((provider) => (
              <ProviderRow key={provider.provider} provider={provider} pauses={paused} />
            ))}
          </Table>
        )}
      </Loaded>
    </Card>
  )
}

type RowProps = { provider: Provider; pauses: readonly Pause[] }
function ProviderRow({ provider, pauses }: RowProps) {
  const { provider: name, healthy, errorRate, p50Ms, p95Ms, breaker, updatedAt } = provider
  const scope = `provider:${name}`
  const pause = pauses.find((each) => each.scope === scope)
  const incidents = useIncidents()
  const failing = healthy
    ? undefined
    : ifLoaded(incidents, ({ providers }) => providers.find((each) => each.provider === name))
  return (
    <tr>
      <td className="strong">{providerName(name)}</td>
      <td>
        <span className={`pill t-${healthy ? 'ok' : 'bad'}`}>{stateOf(provider)}</span>{' '}
        {pause && <span className="pill t-warn">Paused</span>}
        {failing && failing.failsBetween.length > 0 && <div className="sub tiny">{placesOf(failing.failsBetween)}</div>}
        {failing?.since && <div className="sub tiny">since {clock(Date.parse(failing.since))}</div>}
        {healthy && errorRate >= troubledRate && <div className="sub tiny">its latest calls succeeded</div>}
      </td>
      <td className="right num to-left" data-label="Errors">
        {(errorRate * 100).toFixed(1)} %
      </td>
      <td className="right num to-left" data-label="Median response">
        {ms(p50Ms)}
        {p95Ms !== null && <div className="sub tiny">95th percentile {ms(p95Ms)}</div>}
      </td>
      <td data-label="Quote requests">
        {breaker === 'OPEN' ? 'Shut: probes only' : 'Sent'}
        <div className="sub tiny">
          last queried <Ago at={updatedAt} />
        </div>
      </td>
      <td className="right">
        <PauseButton scope={scope} pause={pause} />
      </td>
    </tr>
  )
}
