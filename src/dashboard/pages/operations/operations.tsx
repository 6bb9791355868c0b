import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api'
import { chainName, grouped } from '../../format'
import { useHere } from '../../session'
import { Bones, Card, Page, Trouble } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'
import { Jobs } from './jobs'
import { Overdue } from './overdue'
import { Pauses } from './pauses'
import { Relayers } from './relayers'
import { States } from './states'

type Chain = {
  chainId: number
  chainKey: string
  acceptsDeposits: boolean
  delivers: boolean
  message: string | null
  confirmationsRequired: number
  confirmationTypicalSeconds: number
}
type Coverage = {
  chainId: number
  scannedBlock: number
  headBlock: number
  lagBlocks: number
  lagSeconds: number | null
  detectors: { detector: string; lastSeenAt: string | null; first24h: number; missed24h: number }[]
  updatedAt: string
}
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

/** What the person on call looks at and turns: chains, providers, pauses, many executions at once. */
export default function Operations() {
  const { organization } = useHere()
  return (
    <Page
      title="Operations"
      lead={
        organization.isPlatform
          ? 'The whole platform: what pauses here pauses for everybody.'
          : 'Your organization. Chains and providers are paused by the platform’s operators.'
      }
    >
      <Overdue />
      <States />
      <Chains />
      {organization.isPlatform && (
        <>
          <Providers />
          <Relayers />
        </>
      )}
      <div className="grid2">
        <Pauses />
        <Jobs />
      </div>
    </Page>
  )
}

function Chains() {
  const { organization } = useHere()
  const chains = useQuery({
    queryKey: ['chains', organization.id],
    queryFn: () => ask<Chain[]>('/chains'),
    refetchInterval: 10_000,
  })
  const coverage = useQuery({
    queryKey: ['coverage', organization.id],
    queryFn: () => ask<Coverage[]>('/coverage'),
    refetchInterval: 5_000,
  })
  return (
    <Card title="Chains" side={<span className="sub tiny">Every block up to this one was searched</span>}>
      <Trouble error={chains.error ?? coverage.error} />
      {!chains.data ? (
        <Bones rows={5} />
      ) : (
        <Table
          label="Chains"
          heads={[
            'Chain',
            'State',
            { right: 'Read to block' },
            { right: 'Behind' },
            'Found first, 24 h',
            { right: 'Missed by webhook' },
            'Moved',
          ]}
        >
          {chains.data.map((chain) => {
            const read = coverage.data?.find(({ chainId }) => chainId === chain.chainId)
            const isFine = chain.acceptsDeposits && chain.delivers
            return (
              <tr key={chain.chainId}>
                <td className="strong">{chainName(chain.chainKey)}</td>
                <td>
                  <span className={`pill t-${isFine ? 'ok' : 'warn'}`}>{isFine ? 'Open' : 'Closed'}</span>
                  {chain.message && <div className="sub tiny">{chain.message}</div>}
                </td>
                <td className="right num">{read ? grouped(read.scannedBlock) : '–'}</td>
                <td className="right num nowrap">
                  {read ? `${read.lagBlocks} ${read.lagBlocks === 1 ? 'block' : 'blocks'}` : '–'}
                </td>
                <td className="small">
                  {read?.detectors
                    .filter(({ first24h }) => first24h > 0)
                    .map(({ detector, first24h }) => `${detector.toLowerCase()} ${first24h}`)
                    .join(', ') || <span className="sub">none</span>}
                </td>
                <td className="right num">
                  {read?.detectors.find(({ detector }) => detector === 'WEBHOOK')?.missed24h ?? '–'}
                </td>
                <td>{read ? <Ago at={read.updatedAt} /> : '–'}</td>
              </tr>
            )
          })}
        </Table>
      )}
    </Card>
  )
}

const ms = (value: number | null): string => (value === null ? '–' : `${grouped(Math.round(value))} ms`)

const stateOf = ({ healthy, credentialsRefusedAt }: Provider): string =>
  credentialsRefusedAt !== null ? 'Refuses our credentials' : healthy ? 'Healthy' : 'Failing'

function Providers() {
  const { organization } = useHere()
  const providers = useQuery({
    queryKey: ['providers', organization.id],
    queryFn: () => ask<Provider[]>('/operator/providers'),
    refetchInterval: 5_000,
  })
  return (
    <Card title="Routing providers" side={<span className="sub tiny">Last 10 minutes</span>}>
      <Trouble error={providers.error} />
      {providers.isPending ? (
        <Bones rows={2} />
      ) : (
        <Table
          label="Routing providers"
          heads={[
            'Provider',
            'State',
            { right: 'Errors' },
            { right: 'Half answer within' },
            { right: '19 of 20 within' },
            'Breaker',
            'Asked',
          ]}
        >
          {providers.data?.map((each) => (
            <tr key={each.provider}>
              <td className="strong">{each.provider}</td>
              <td>
                <span className={`pill t-${each.healthy ? 'ok' : 'bad'}`}>{stateOf(each)}</span>
              </td>
              <td className="right num">{(each.errorRate * 100).toFixed(1)} %</td>
              <td className="right num">{ms(each.p50Ms)}</td>
              <td className="right num">{ms(each.p95Ms)}</td>
              <td>{each.breaker.toLowerCase().replace('_', ' ')}</td>
              <td>
                <Ago at={each.updatedAt} />
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  )
}
