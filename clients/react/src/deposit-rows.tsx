import { memo, useEffect, useRef, useState } from 'react'
import type { CardDeposit } from './contract.js'
import { amountText, sentencesOf, type Words } from './words.js'

const headOf = (deposit: CardDeposit, words: Words): string => {
  const amount = amountText(deposit.amountIn, deposit.fromTokenDecimals, deposit.fromTokenSymbol)
  return `${words.on(amount, deposit.fromChainName)}: ${words.states[deposit.state]}`
}

function Transaction({ label, hash, url }: { label: string; hash: string | null; url: string | null }) {
  if (hash === null) return null
  const short = `${hash.slice(0, 10)}…${hash.slice(-6)}`
  return (
    <>
      <dt>{label}</dt>
      <dd>
        {url === null ? (
          <code>{hash}</code>
        ) : (
          <a href={url} target="_blank" rel="noreferrer">
            {short}
          </a>
        )}
      </dd>
    </>
  )
}

/** For support, if no transaction names the deposit. */
const Reference = ({ label, id }: { label: string; id: string }) => (
  <>
    <dt>{label}</dt>
    <dd>
      <code>{id}</code>
    </dd>
  </>
)

type RowProps = { deposit: CardDeposit; words: Words; locale: string | undefined }
const Row = memo(
  ({ deposit, words, locale }: RowProps) => (
    <li className="sy-row" data-id={deposit.id} data-state={deposit.state}>
      <strong>{headOf(deposit, words)}</strong>
      <p>{sentencesOf(deposit, words)}</p>
      <time dateTime={deposit.createdAt}>
        {new Date(deposit.createdAt).toLocaleString(locale, { dateStyle: 'medium', timeStyle: 'short' })}
      </time>
      <dl>
        <Transaction label={words.depositTx} hash={deposit.depositTxHash} url={deposit.depositTxUrl} />
        <Transaction
          label={deposit.state === 'REFUNDED' ? words.refundTx : words.arrivalTx}
          hash={deposit.arrivalTxHash}
          url={deposit.arrivalTxUrl}
        />
        {deposit.depositTxHash === null && <Reference label={words.reference} id={deposit.id} />}
      </dl>
    </li>
  ),
  (a, b) => a.words === b.words && a.locale === b.locale && JSON.stringify(a.deposit) === JSON.stringify(b.deposit),
)

/** Returns the headings of deposits whose state changed since the card was first shown, for screen readers. */
function useNews(deposits: readonly CardDeposit[], words: Words): string {
  const before = useRef<Map<string, string> | null>(null)
  const [news, setNews] = useState('')
  useEffect(() => {
    const known = before.current
    const changed = deposits.filter(({ id, state }) => known !== null && known.get(id) !== state)
    before.current = new Map(deposits.map(({ id, state }) => [id, state]))
    if (changed.length > 0) setNews(changed.map((deposit) => headOf(deposit, words)).join('. '))
  }, [deposits, words])
  return news
}

export function DepositRows({ deposits, words, locale }: Omit<RowProps, 'deposit'> & { deposits: CardDeposit[] }) {
  const news = useNews(deposits, words)
  return (
    <>
      <h3>{words.deposits}</h3>
      {deposits.length === 0 && <p className="sy-none">{words.none}</p>}
      <ul>
        {deposits.map((deposit) => (
          <Row key={deposit.id} deposit={deposit} words={words} locale={locale} />
        ))}
      </ul>
      <p className="sy-hidden" role="status">
        {news}
      </p>
    </>
  )
}
