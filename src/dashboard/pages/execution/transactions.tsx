import type { ChainView } from '../../../http/views/chain'
import { capital, chainName, short, words } from '../../data/format'
import { ifLoaded } from '../../data/read'
import type { ExecutionDetail } from '../../data/types'
import { useRead } from '../../data/use-read'
import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
import { Icon } from '../../ui/icon'
import { Card } from '../../ui/parts'
import { Ago } from '../../ui/time'

export function useExplorer(): (chainId: number, kind: 'tx' | 'address', text: string) => string | null {
  const chains = useRead<(typeof ChainView.infer)[]>(['chains'], '/chains', { staleTime: 60_000 })
  return (chainId, kind, text) => {
    const url = ifLoaded(chains, (all) => all.find((each) => each.chainId === chainId)?.explorerUrl)
    return url ? `${url}/${kind}/${text}` : null
  }
}

const tones: Record<string, string> = {
  CONFIRMED: 'ok',
  SUBMITTED: 'info',
  SIGNED: 'info',
  REVERTED: 'bad',
  DROPPED: 'mute',
  REPLACED: 'mute',
}

export function Transactions({ execution }: { execution: ExecutionDetail }) {
  const explorer = useExplorer()
  return (
    <Card title="Transactions">
      {execution.transactions.length === 0 && (
        <p className="sub small">None: a check of the balance found the deposit.</p>
      )}
      <ul className="stack">
        {execution.transactions.map(({ role, chainId, chainKey, txHash, status, at }) => {
          const url = explorer(chainId, 'tx', txHash)
          return (
            <li key={`${role}${txHash}`} className="stack tight">
              <div className="row apart">
                <span className="row">
                  <span className="strong small">{capital(words(role))}</span>
                  <span className={`pill t-${tones[status] ?? 'mute'}`}>{capital(words(status))}</span>
                </span>
                <span className="sub tiny">
                  {chainName(chainKey)}, <Ago at={at} />
                </span>
              </div>
              <div className="row id-cell">
                <Hash value={txHash} kind="transaction" shown={short(txHash, 14, 10)} />
                <Copy value={txHash} what={`${words(role)} transaction hash`} />
                {url && (
                  <a
                    href={url}
                    target="_blank"
                    rel="noreferrer"
                    className="small with-icon"
                    aria-label={`${words(role)} transaction in the explorer`}
                  >
                    Explorer
                    <Icon name="link" size={13} />
                  </a>
                )}
              </div>
            </li>
          )
        })}
      </ul>
    </Card>
  )
}
