import { chainName, short } from '../../data/format'
import type { ExecutionDetail } from '../../data/types'
import { Copy } from '../../ui/copy'
import { Card } from '../../ui/parts'
import { OnChain } from './on-chain'

/** How anybody can have the burnt money minted who does not want to wait for us. */
export function Mint({ execution: { mint, completedAt } }: { execution: ExecutionDetail }) {
  if (!mint) return null
  const { chainId, chainKey, contract, data } = mint
  const ours = completedAt === null ? ' Switchyard does this by itself, and anybody can do it sooner.' : ''
  return (
    <Card title="Mint it yourself">
      <div className="stack">
        <p className="sub small">
          The money was burnt, and can be minted on {chainName(chainKey)} now.{ours} Send this call to this contract
          there, from any account with coin for gas, and send no coin along. It pays the recipient and nobody else,
          once.
        </p>
        <div className="row apart">
          <span className="small">Contract</span>
          <OnChain chainId={chainId} kind="address" value={contract} what="contract that mints" />
        </div>
        <div className="row apart">
          <span className="small">Call (data)</span>
          <span className="row id-cell">
            <span className="mono" title={data}>
              {short(data, 14, 10)}
            </span>
            <Copy value={data} what="call that mints" />
          </span>
        </div>
      </div>
    </Card>
  )
}
