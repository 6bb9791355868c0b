import { Button } from '@mantine/core'
import { useState } from 'react'
import type { AcceptedView } from '../../http/views/deposit-address'
import { amount, chainName, duration } from '../data/format'
import { Card } from '../ui/parts'
import { Table } from '../ui/table'

export type Accepted = typeof AcceptedView.infer

const shownAtFirst = 12

/** The smallest routable deposit of each token, by chain. */
export function AcceptedTokens({ accepts }: { accepts: Accepted[] }) {
  const [isAll, setAll] = useState(false)
  const chains = [...new Set(accepts.map(({ fromChainKey }) => fromChainKey))]
  const tokens = [...Map.groupBy(accepts, ({ fromTokenSymbol }) => fromTokenSymbol)]
  const shown = isAll ? tokens : tokens.slice(0, shownAtFirst)
  const of = (chain: string) => accepts.filter(({ fromChainKey }) => fromChainKey === chain)
  const isPaused = (chain: string) => of(chain).every(({ acceptsDeposits }) => !acceptsDeposits)
  const usual = (chain: string) => of(chain).find(({ expectedSeconds }) => expectedSeconds)?.expectedSeconds
  const headOf = (chain: string) => ({
    right: (
      <>
        {chainName(chain)} {isPaused(chain) && <span className="pill t-warn">paused</span>}
      </>
    ),
  })
  return (
    <Card title="Accepted tokens" side={<span className="sub tiny">Smallest deposit that can be routed now</span>}>
      <Table
        label="Accepted tokens"
        kind="dense"
        heads={['Token', ...chains.map(headOf)]}
        foot={
          chains.some(usual) && (
            <tr>
              <td className="sub small">Usually takes</td>
              {chains.map((chain) => (
                <td key={chain} className="right num sub small">
                  {usual(chain) ? duration(usual(chain)!.typical * 1_000) : 'not measured yet'}
                </td>
              ))}
            </tr>
          )
        }
      >
        {shown.map(([symbol, places]) => (
          <tr key={symbol}>
            <td className="strong nowrap">{symbol}</td>
            {chains.map((chain) => (
              <td key={chain} className="right num nowrap">
                <Least place={places.find(({ fromChainKey }) => fromChainKey === chain)} />
              </td>
            ))}
          </tr>
        ))}
      </Table>
      {tokens.length > shownAtFirst && (
        <div className="row more-row">
          <Button size="compact-sm" variant="default" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
            {isAll ? 'Show fewer' : `Show all ${tokens.length} tokens`}
          </Button>
        </div>
      )}
    </Card>
  )
}

function Least({ place }: { place: Accepted | undefined }) {
  if (!place) return <span className="sub">–</span>
  if (!place.acceptsDeposits) return <span className="sub">not now</span>
  if (place.minimumAmountIn === null) return <span className="sub">unknown</span>
  return amount(place.minimumAmountIn, place.fromTokenDecimals)
}
