import { short } from '../../data/format'
import { Copy } from '../../ui/copy'
import { useExplorer } from './transactions'

type Props = { chainId: number; kind: 'tx' | 'address'; value: string | null; what: string; unknown?: string }

/** A transaction or an address, with a link to the chain's explorer if there is one. */
export function OnChain({ chainId, kind, value, what, unknown = 'not known' }: Props) {
  const explorer = useExplorer()
  if (value === null) return unknown
  const url = explorer(chainId, kind, value)
  return (
    <span className="row id-cell">
      {url ? (
        <a href={url} target="_blank" rel="noreferrer" className="mono" title={value}>
          {short(value)}
        </a>
      ) : (
        <span className="mono">{short(value)}</span>
      )}
      <Copy value={value} what={what} />
    </span>
  )
}
