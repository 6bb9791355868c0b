import { Copy } from '../../ui/copy'
import { Hash } from '../../ui/hash'
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
        <a href={url} target="_blank" rel="noreferrer">
          <Hash value={value} kind={what} />
        </a>
      ) : (
        <Hash value={value} kind={what} />
      )}
      <Copy value={value} what={what} />
    </span>
  )
}
