import { Button, Select } from '@mantine/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { Link } from 'wouter'
import type { RescanOutcome } from '../../domain/deposit/rescan-outcome'
import type { RescanView } from '../../http/routes/rescan'
import { ask } from '../data/api'
import { chainName, grouped } from '../data/format'
import type { Search } from '../data/types'
import { Icon } from '../ui/icon'

type Answer = typeof RescanView.infer
type Result = Answer | { error: string }
type Props = { txHash: string; checked: Search['checked']; chainId: number | null; onDeposits: () => void }

/** What a chain shows of a transaction, as checks. Checks that do not matter for the outcome are left out. */
const checks: Record<RescanOutcome, [isGood: boolean, said: string][]> = {
  NOT_FOUND: [[false, 'Neither mined nor pending on this chain']],
  NOT_MINED: [[true, 'Pending: a node has it, but no block includes it yet']],
  REVERTED: [
    [true, 'Mined'],
    [false, 'The transaction failed, so nothing was sent'],
  ],
  NO_TRANSFER_TO_US: [
    [true, 'Mined'],
    [false, 'Pays none of your deposit addresses'],
  ],
  NOT_TRACED: [
    [true, 'Mined'],
    [true, 'Sends no token and no coin directly to your deposit addresses'],
    [false, 'Coin paid by a contract was not checked, because no node traces it'],
  ],
  TOKEN_NOT_SUPPORTED: [
    [true, 'Mined'],
    [true, 'Pays one of your deposit addresses'],
    [false, 'Its token is unlisted, and the address holds none of it'],
  ],
  KNOWN: [
    [true, 'Mined'],
    [true, 'Pays one of your deposit addresses'],
    [true, 'Already recorded'],
  ],
  DEPOSIT: [
    [true, 'Mined'],
    [true, 'Pays one of your deposit addresses'],
    [true, 'Recorded now'],
  ],
}

export const readUpTo = (block: number | null): string =>
  block === null ? 'not read yet' : `every block read up to ${grouped(block)}`

/** For a missing deposit: reads its transaction from the link’s chain or from all, and shows the results. */
export function Rescan({ txHash, checked, chainId, onDeposits }: Props) {
  const [wanted, setWanted] = useState(chainId === null ? 'all' : String(chainId))
  const [results, setResults] = useState<Record<number, Result>>({})
  const [asking, setAsking] = useState<number | null>(null)

  const look = async () => {
    setResults({})
    for (const { chainId: id } of checked) {
      if (wanted !== 'all' && wanted !== String(id)) continue
      setAsking(id)
      const result = await ask<Answer>('/deposits/rescan', { body: { fromChainId: id, txHash } }).catch(
        ({ message }: Error): Result => ({ error: message }),
      )
      setResults((before) => ({ ...before, [id]: result }))
      const isThere = 'found' in result && result.found !== 'NOT_FOUND'
      if ('found' in result && result.deposits.length > 0) onDeposits()
      if (isThere) break
    }
    setAsking(null)
  }
  // Someone who pastes an unknown hash wants to know. The key of this component is the hash, so it asks once.
  const begin = useEffectEvent(look)
  useEffect(() => void begin(), [])
  return (
    <>
      <ul className="checked">
        {checked.map(({ chainId: id, chainKey, scannedBlock }) => (
          <li key={chainKey}>
            <span className="strong">{chainName(chainKey)}</span>
            <span className="sub num">{readUpTo(scannedBlock)}</span>
            {asking === id && <span className="sub small">Reading …</span>}
            {results[id] && <RescanResult result={results[id]} />}
          </li>
        ))}
      </ul>
      <div className="row">
        <Select
          aria-label="Chain to read"
          data={[
            { value: 'all', label: 'Every chain' },
            ...checked.map((chain) => ({ value: String(chain.chainId), label: chainName(chain.chainKey) })),
          ]}
          value={wanted}
          onChange={(value) => setWanted(value ?? 'all')}
          comboboxProps={{ withinPortal: true }}
        />
        <Button loading={asking !== null} onClick={() => void look()}>
          Rescan
        </Button>
        <span className="sub small grow">
          The chains are read when the hash is pasted. Read again if it was just sent.
        </span>
      </div>
    </>
  )
}

function RescanResult({ result }: { result: Result }) {
  if ('error' in result)
    return (
      <p role="alert" className="small">
        {result.error}
      </p>
    )
  return (
    <div role="status" className="small stack tight">
      <span>{result.message}</span>
      <ul className="points">
        {checks[result.found].map(([isGood, said]) => (
          <li key={said} className={isGood ? 't-ok' : 't-warn'}>
            <Icon name={isGood ? 'check' : 'cross'} size={14} /> {said}
          </li>
        ))}
      </ul>
      {result.deposits.map(({ id }) => (
        <Link key={id} href={`/deposits/${encodeURIComponent(id)}`}>
          Open the deposit
        </Link>
      ))}
    </div>
  )
}
