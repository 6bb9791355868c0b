import { useQuery } from '@tanstack/react-query'
import { providerStateOf } from '../../../domain/execution/provider-state'
import { ask } from '../../data/api'
import { capital, clock, grouped, providerName, words } from '../../data/format'
import { useHere } from '../../data/session'
import { useIncidents } from '../../incidents/use-incidents'
import { Bones, Card, Trouble } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'
import { PauseButton } from './pause-button'
import { usePauses } from './pauses'

type Provider = {
  provider: string
  healthy: boolean
  errorRate: number
  p50Ms: number | null
  p95Ms: number | null
  breaker: string
  credentialsRefusedAt: string | null
  updatedAt: string | null
}

const ms = (value: number | null): string => (value === null ? '–' : `${grouped(Math.round(value))} ms`)

const stateOf = (provider: Provider): string => capital(providerStateOf(provider))

/** Who is asked for routes, how they do, and the switch of each beside it. */
export function Providers() {
  const { organization } = useHere()
  const providers = useQuery({
    queryKey: ['providers', organization.id],
    queryFn: () => ask<Provider[]>('/operator/providers'),
    refetchInterval: 3_000,
  })
  const incidents = useIncidents()
  const pauses = usePauses()
  const since = (name: string) => incidents.data?.providers.find(({ provider }) => provider === name)?.since
  return (
    <Card title="Routing providers" side={<span className="sub tiny">In the last 10 minutes</span>}>
      <Trouble error={providers.error} retry={() => void providers.refetch()} />
      {providers.isPending && <Bones rows={2} />}
      {providers.data && (
        <Table
          label="Routing providers"
          kind="folds"
          heads={[
            'Provider',
            'State',
            { right: 'Errors' },
            { right: 'Median answer' },
            'Circuit breaker',
            { hidden: 'Actions' },
          ]}
        >
          {providers.data.map((each) => {
            const isPaused = pauses.data?.some(({ scope }) => scope === `provider:${each.provider}`) ?? false
            const failingSince = each.healthy ? null : since(each.provider)
            return (
              <tr key={each.provider}>
                <td className="strong">{providerName(each.provider)}</td>
                <td>
                  <span className={`pill t-${each.healthy ? 'ok' : 'bad'}`}>{stateOf(each)}</span>{' '}
                  {isPaused && <span className="pill t-warn">Paused</span>}
                  {failingSince && <div className="sub tiny">since {clock(Date.parse(failingSince))}</div>}
                </td>
                <td className="right num to-left" data-label="Errors">
                  {(each.errorRate * 100).toFixed(1)} %
                </td>
                <td className="right num to-left" data-label="Median answer">
                  {ms(each.p50Ms)}
                  {each.p95Ms !== null && <div className="sub tiny">95th percentile {ms(each.p95Ms)}</div>}
                </td>
                <td data-label="Circuit breaker">
                  {capital(words(each.breaker))}
                  <div className="sub tiny">
                    last asked <Ago at={each.updatedAt} />
                  </div>
                </td>
                <td className="right">
                  <PauseButton scope={`provider:${each.provider}`} isPaused={isPaused} />
                </td>
              </tr>
            )
          })}
        </Table>
      )}
    </Card>
  )
}
