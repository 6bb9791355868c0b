import { chainName } from '../data/format'
import { useHere } from '../data/session'
import type { Search } from '../data/types'
import { Rescan, readUpTo } from './rescan'

const sentences: Record<string, string> = {
  HASH: 'No deposit, execution or route has this hash.',
  ADDRESS: 'This is not one of your deposit addresses, and no deposit has it as sender or recipient.',
  DEPOSIT: 'No deposit or execution has this id.',
  USER: 'No user id has a word that begins with this text, and no deposit has this amount or a hash like this.',
}

/** Returns the transaction hash in a text, or null. */
const hashIn = ({ kind, text }: Search): string | null =>
  kind === 'HASH' ? text : kind === 'DEPOSIT' ? (/0x[0-9a-f]{64}/.exec(text)?.[0] ?? null) : null

/** Shown if nothing is found: what was searched and how far, with a button that reads a chain now. */
export function NotSeen({ search, onDeposits }: { search: Search; onDeposits: () => void }) {
  const { organization } = useHere()
  const { kind, checked, chainId } = search
  const hash = hashIn(search)
  const whose = organization.isPlatform ? 'all organizations' : organization.name
  return (
    <section className="not-seen stack" aria-label="Not found">
      <div>
        <h2>Not found</h2>
        <p className="sub small">
          {sentences[kind]} The search covered {whose}
          {kind === 'USER' ? '.' : ', on every chain:'}
        </p>
      </div>
      {kind === 'USER' ? (
        <p className="sub small">
          You can search for a transaction hash, an address (deposit address, sender or recipient), a user, an amount,
          an id, or the URL of an explorer’s page.
        </p>
      ) : hash ? (
        <Rescan key={hash} txHash={hash} checked={checked} chainId={chainId} onDeposits={onDeposits} />
      ) : (
        <>
          <ul className="checked">
            {checked.map(({ chainKey, scannedBlock }) => (
              <li key={chainKey}>
                <span className="strong">{chainName(chainKey)}</span>
                <span className="sub num">{readUpTo(scannedBlock)}</span>
              </li>
            ))}
          </ul>
          <p className="sub small">
            A deposit in a later block is not recorded yet. Search for its transaction hash to read the chain now.
          </p>
        </>
      )}
    </section>
  )
}
