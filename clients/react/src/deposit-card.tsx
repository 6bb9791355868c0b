'use client'

import { useEffect, useId, useMemo, useState } from 'react'
import type { CardData } from './contract.js'
import { DepositRows } from './deposit-rows.js'
import type { DepositView } from './feed.js'
import { QrCode } from './qr-code.js'
import { type DepositOptions, useDeposit } from './use-deposit.js'
import { defaultWords, leastText, type Words } from './words.js'

export type DepositCardProps = DepositOptions & {
  /** The signed-in user, as your server names them. */
  userId: string
  /** Replaces single texts. Keep the object outside the component that renders the card. */
  words?: Partial<Words>
  /** By default the card follows the system's scheme. */
  appearance?: 'light' | 'dark'
  /** For times; by default the browser's. */
  locale?: string
  className?: string
}

/** A user's deposit address, what to send to it, and where each deposit is and who acts next. */
export function DepositCard({ userId, server, words, appearance, locale, className = '' }: DepositCardProps) {
  const view = useDeposit(userId, server === undefined ? {} : { server })
  const texts = useMemo(() => ({ ...defaultWords, ...words }), [words])
  const title = useId()
  return (
    <section
      className={`switchyard-card ${className}`}
      data-appearance={appearance}
      aria-labelledby={title}
      aria-busy={view.data === null}
    >
      <h2 id={title}>{texts.title}</h2>
      <Trouble view={view} words={texts} locale={locale} />
      {view.data === null ? (
        <p role="status">{view.problem === null && texts.loading}</p>
      ) : (
        <Content data={view.data} words={texts} locale={locale} />
      )}
    </section>
  )
}

type Parts = { words: Words; locale: string | undefined }

/** Stays in the page while empty, because screen readers announce only changes of an existing alert. */
function Trouble({ view: { problem, readAt }, words, locale }: Parts & { view: DepositView }) {
  const time = (at: number) => new Date(at).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' })
  const age = readAt === null ? words.neverRead : words.staleSince(time(readAt))
  return (
    <p className="sy-trouble" role="alert">
      {problem !== null && `${words.problems[problem]} ${age} ${words.retrying}`}
    </p>
  )
}

function Content({ data, words, locale }: Parts & { data: CardData }) {
  const { depositAddress, tokens, notices, deposits, targetTokenSymbol, targetChainName } = data
  const networks = [...new Set(tokens.map(({ chainName }) => chainName))]
  const [chosen, setChosen] = useState('')
  const network = networks.includes(chosen) ? chosen : (networks[0] ?? '')
  const here = tokens.filter(({ chainName }) => chainName === network)
  const [payment, setPayment] = useState('')
  const paid = here.find(({ paymentUri }) => paymentUri === payment)
  return (
    <>
      <p>
        {words.lead}{' '}
        {targetTokenSymbol !== null && targetChainName !== null && words.arrivesAs(targetTokenSymbol, targetChainName)}
      </p>
      <label className="sy-network">
        {words.network}{' '}
        <select value={network} onChange={({ target }) => setChosen(target.value)}>
          {networks.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {network !== '' && <p className="sy-only">{words.onlyOn(network)}</p>}
      <label className="sy-network">
        {words.qrFor}{' '}
        <select value={paid ? payment : ''} onChange={({ target }) => setPayment(target.value)}>
          <option value="">{words.anyWallet}</option>
          {here.map(({ symbol, paymentUri }) => (
            <option key={paymentUri} value={paymentUri}>
              {symbol}
            </option>
          ))}
        </select>
      </label>
      <QrCode text={paid ? payment : depositAddress} label={paid ? words.qrOf(paid.symbol, network) : words.qr} />
      <p>
        <Address text={depositAddress} />
      </p>
      <CopyButton text={depositAddress} words={words} />
      <DepositRows deposits={deposits} words={words} locale={locale} />
      <h3>{words.tokens}</h3>
      {notices.map((notice) => (
        <p key={notice}>{notice}</p>
      ))}
      <Tokens tokens={here} words={words} />
    </>
  )
}

/** Shows the address in groups, which are easier to compare. A copied selection has no spaces. */
const Address = ({ text }: { text: string }) => (
  <code className="sy-address">
    {Array.from(text.matchAll(/.{1,6}/g), ({ 0: part, index }) => (
      <span key={index}>{part}</span>
    ))}
  </code>
)

function CopyButton({ text, words }: { text: string; words: Words }) {
  const [isCopied, setIsCopied] = useState<boolean | null>(null)
  useEffect(() => {
    if (isCopied !== true) return
    const timer = setTimeout(() => setIsCopied(null), 10_000)
    return () => clearTimeout(timer)
  }, [isCopied])
  const copy = async () => {
    // A browser can refuse, and a page without TLS has no clipboard.
    const write = navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('No clipboard'))
    setIsCopied(
      await write.then(
        () => true,
        () => false,
      ),
    )
  }
  return (
    <p>
      <button type="button" onClick={copy}>
        {words.copy}
      </button>{' '}
      <span role="status">{isCopied !== null && (isCopied ? words.copied : words.notCopied)}</span>
    </p>
  )
}

function Tokens({ tokens, words }: { tokens: CardData['tokens']; words: Words }) {
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{words.token}</th>
          <th scope="col">{words.least}</th>
        </tr>
      </thead>
      <tbody>
        {tokens.map(({ symbol, decimals, minimumAmountIn, paymentUri }) => (
          <tr key={paymentUri}>
            <td>
              <a href={paymentUri}>{symbol}</a>
            </td>
            <td>{minimumAmountIn === null ? words.leastUnknown : leastText(minimumAmountIn, decimals, symbol)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
