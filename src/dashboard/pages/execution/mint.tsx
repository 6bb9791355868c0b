import { chainName, short } from '../../data/format'
import type { ExecutionDetail } from '../../data/types'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Card } from '../../ui/parts'
import { OnChain } from './on-chain'
import { howToMint } from './place'

/** Instructions for minting the burned money from any account, without waiting for Switchyard. */
export function Mint({ execution: { mint, completedAt } }: { execution: ExecutionDetail }) {
  if (!mint) return null
  const { chainId, chainKey, contract, data } = mint
  return (
    <Card title="Mint it yourself">
      <div className="stack">
        <p className="sub small">{howToMint(chainName(chainKey), completedAt !== null)}</p>
        <div className="row apart">
          <span className="small">Contract</span>
          <OnChain chainId={chainId} kind="address" value={contract} what="contract that mints" />
        </div>
        <div className="row apart">
          <span className="small">Call (data)</span>
          <span className="row id-cell">
            <Hash value={data} kind="data" shown={short(data, 14, 10)} />
            <Copy value={data} what="call that mints" />
          </span>
        </div>
      </div>
    </Card>
  )
}
