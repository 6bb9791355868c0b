import { useQuery } from '@tanstack/react-query'
import type { CoverageView } from '../../../http/routes/coverage'
import type { ChainView } from '../../../http/views/chain'
import { ask } from '../../data/api'
import { capital, chainName, grouped } from '../../data/format'
import { allOf, ifLoaded, type QueryState } from '../../data/read'
import { useHere } from '../../data/session'
import { Figure, Loaded, Unread } from '../../ui/loaded'
import { Bones, Card } from '../../ui/parts'
import { Table } from '../../ui/table'
import { Ago } from '../../ui/time'
import { PauseButton } from './pause-button'
import { type Pause, usePauses } from './pauses'

type Chain = typeof ChainView.infer
type Coverage = typeof CoverageView.infer

/** Each chain's scan position and state, with a switch for the platform's operators. */
export function Chains() {
  const { organization } = useHere()
  const chains = useQuery({
    queryKey: ['chains', organization.id],
    queryFn: () => ask<Chain[]>('/chains'),
    refetchInterval: 5_000,
  })
  const coverage = useQuery({
    queryKey: ['coverage', organization.id],
    queryFn: () => ask<Coverage[]>('/coverage'),
    refetchInterval: 5_000,
  })
  const pauses = usePauses()
  return (
    <Card title="Chains" side={<span className="sub tiny">Deposits found in the last 24 hours</span>}>
      <Unread of={coverage} />
      <Loaded of={allOf(chains, pauses)} bones={<Bones rows={5} />}>
        {([rows, paused]) => (
          <Table
            label="Chains"
            kind="folds"
            heads={[
              'Chain',
              'State',
              { right: 'Scanned up to block' },
              'First detected by',
              organization.isPlatform && { hidden: 'Actions' },
            ]}
          >
            {rows.map((chain) => (
              <ChainLine key={chain.chainId} chain={chain} coverage={coverage} pauses={paused} />
            ))}
          </Table>
        )}
      </Loaded>
    </Card>
  )
}

type LineProps = { chain: Chain; coverage: QueryState<readonly Coverage[]>; pauses: readonly Pause[] }
function ChainLine({ chain, coverage, pauses }: LineProps) {
  const { organization } = useHere()
  const pause = pauses.find(({ scope }) => scope === `chain:${chain.chainId}`)
  const isHalted = pause !== undefined || pauses.some(({ scope }) => scope === 'all')
  const of = {
    ...coverage,
    data: ifLoaded(coverage, (all) => all.find(({ chainId }) => chainId === chain.chainId) ?? null),
  }
  return (
    <tr>
      <td className="strong">{chainName(chain.chainKey)}</td>
      <td>
        <State chain={chain} isHalted={isHalted} />
      </td>
      <td className="right num to-left whole" data-label="Scanned up to block">
        <Figure of={of}>{(read) => (read ? <Scanned read={read} /> : '–')}</Figure>
      </td>
      <td className="small whole" data-label="First detected by">
        <Figure of={of}>{(read) => (read ? <DetectedFirst read={read} /> : '–')}</Figure>
      </td>
      {organization.isPlatform && (
        <td className="right whole">
          <PauseButton scope={`chain:${chain.chainId}`} pause={pause} />
        </td>
      )}
    </tr>
  )
}

const Scanned = ({ read }: { read: Coverage }) => (
  <>
    {grouped(read.scannedBlock)}
    <div className="sub tiny">
      {read.lagBlocks} {read.lagBlocks === 1 ? 'block' : 'blocks'} behind, updated <Ago at={read.updatedAt} />
    </div>
  </>
)

function DetectedFirst({ read }: { read: Coverage }) {
  const webhook = read.detectors.find(({ detector }) => detector === 'WEBHOOK')
  return (
    <>
      {firstOf(read)}
      {webhook && webhook.missed24h > 0 && (
        <div className="sub tiny">{grouped(webhook.missed24h)} missed by the webhook</div>
      )}
    </>
  )
}

type ChainRow = { chain: Chain; isHalted: boolean }
function State({ chain: { acceptsDeposits, delivers, message }, isHalted }: ChainRow) {
  const isFine = acceptsDeposits && delivers && !isHalted
  return (
    <>
      <span className={`pill t-${isFine ? 'ok' : 'warn'}`}>{isHalted ? 'Paused' : isFine ? 'Open' : 'Closed'}</span>
      {message && <div className="sub tiny">{message}</div>}
    </>
  )
}

const firstOf = ({ detectors }: Coverage): string => {
  const detecting = detectors.filter(({ first24h }) => first24h > 0)
  const named = detecting.map(({ detector, first24h }) => `${detector.toLowerCase()} ${grouped(first24h)}`)
  return capital(named.join(', ') || 'no deposits')
}
