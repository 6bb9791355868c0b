import { Elysia } from 'elysia'
import { formatUnits } from 'viem'
import { sentenceTime } from '../../domain/calendar'
import { chainOf } from '../../domain/chain/chain'
import type { DepositIntent } from '../../domain/deposit/deposit-intent'
import { depositStages } from '../../domain/deposit/deposit-stage'
import { splitDeposit } from '../../domain/money/fees'
import { isNative, type Token, type TokenList } from '../../domain/money/token'
import { roughly, typedAmount } from '../../domain/money/typed-amount'
import { networkOf } from '../../domain/tenant/address-range'
import type { DepositPage } from '../../domain/tenant/deposit-page'
import { plans } from '../../domain/tenant/organization'
import { StoreUnavailable } from '../../domain/unavailable'
import type { FiguresNow } from '../../ports/estimates'
import type { DepositQueries } from '../../ports/queries'
import type { Accounts, DepositIntents, Organizations } from '../../ports/tenants'
import type { Vault } from '../../ports/webhooks/webhooks'
import { hidden } from '../openapi/operation-docs'
import { type NoteBug, Refusal } from '../request/failure'
import type { CountIn } from '../request/limits'
import { nameRequest } from '../request/request-id'
import type { RecipientNotices } from '../routes/recipient-notices'
import { type AcceptedView, depositAddressView, nativeGasNotice, noIntentNotice } from '../views/deposit-address'
import type { ViewContextFor } from '../views/view-context'
import { noPayHtml, type PayPage, payHtml, type Term } from './pay-html'
import { toldOf } from './pay-state'
import { type PayLink, payLinkOf } from './pay-token'

type PayPorts = {
  organizations: Pick<Organizations, 'load'>
  accounts: Pick<Accounts, 'load'>
  intents: Pick<DepositIntents, 'load'>
  depositQueries: Pick<DepositQueries, 'list'>
  tokens: TokenList
  figures: FiguresNow
  recipientNotices: RecipientNotices
  viewContextFor: ViewContextFor
  vault: Pick<Vault, 'open'>
  countIn: CountIn
  addressOf: (request: Request) => string | undefined
  noteBug: NoteBug
  now: () => number
}

/** Nothing from elsewhere, nothing inline without the nonce, and no address of this page told to anybody. */
const headersOf = (nonce: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    'img-src data:',
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
})

const depositsMax = 10
/** What a bridge returned is no deposit of the person who pays. */
const stagesShown = depositStages.filter((stage) => stage !== 'RETURNED' && stage !== 'UNSUPPORTED')
const gone = 'Ask whoever gave it to you for a new one.'

type Accepted = typeof AcceptedView.infer
const assetOf = ({ fromChainId, fromTokenAddress }: Accepted): string => `${fromChainId}:${fromTokenAddress}`
const assetOfToken = ({ chainId, address }: Token): string => `${chainId}:${address}`
const timeOf = (at: number): string => new Date(at).toISOString().slice(11, 16)
const labelOf = ({ fromTokenSymbol, fromChainId }: Accepted): string =>
  `${fromTokenSymbol} on ${chainOf(fromChainId).shortName}`

/** What gas for a usual route costs now, of which every deposit is charged its own. */
type Gas = { feeRaw: bigint | null; at: number }

function termsOf(chosen: Accepted, intent: DepositIntent | null, raw: bigint | null, gas: Gas): Term[] {
  const { fromTokenDecimals, fromTokenSymbol, minimumAmountIn, expectedSeconds } = chosen
  const much = (amount: bigint): string => `${formatUnits(amount, fromTokenDecimals)} ${fromTokenSymbol}`
  const terms: Term[] = [
    ['Smallest amount now', minimumAmountIn === null ? 'not known now' : much(BigInt(minimumAmountIn))],
  ]
  if (intent) {
    const { protocolFeeBps, sponsoredGas } = intent
    const share = `${formatUnits(BigInt(protocolFeeBps), 2)} %`
    const fee = raw && splitDeposit({ totalReceivedRaw: raw, protocolFeeBps, gasFeeRaw: 0n }).protocolFeeRaw
    terms.push(['Fee', fee ? `${share} (${much(fee)})` : share])
    const about = gas.feeRaw === null ? '' : `about ${much(roughly(gas.feeRaw))} at ${timeOf(gas.at)} UTC, `
    terms.push(['Network costs', sponsoredGas ? 'none' : `${about}taken out of what arrives`])
  }
  if (expectedSeconds) terms.push(['Usually takes', `${Math.ceil(expectedSeconds.typical / 60)} min`])
  return terms
}

function noticesOf({ fromTokenDecimals, minimumAmountIn }: Accepted, amount: string, raw: bigint | null): string[] {
  const isTooSmall = raw !== null && minimumAmountIn !== null && raw < BigInt(minimumAmountIn)
  return [
    ...(amount !== '' && raw === null
      ? [`The amount is not a number of this token, which has ${fromTokenDecimals} decimals at most.`]
      : []),
    ...(isTooSmall ? ['This is less than the smallest amount now: it would stay at this address.'] : []),
  ]
}

/** The page says elsewhere where deposits go, and gas matters only to a sender of native coin. */
const isShown = (notice: string, chosen: Accepted | undefined): boolean =>
  notice !== noIntentNotice &&
  (notice !== nativeGasNotice || (chosen !== undefined && isNative(chosen.fromTokenAddress)))

/** Why what was asked for is not to be sent. */
function warningsOf(chosen: Accepted | undefined): string[] {
  if (!chosen) return ['What you chose is not accepted: choose one of the list, and send nothing else.']
  const { acceptsDeposits, message } = chosen
  return acceptsDeposits ? [] : [`${labelOf(chosen)}: ${message ?? 'this is not delivered at present.'} ${instead}`]
}

const instead = 'Do not send it now: wait, or choose another.'

/** What was asked for; else the first that is delivered at present. What is not accepted is nothing else instead. */
function chosenOf(accepts: readonly Accepted[], asked: string | null): Accepted | undefined {
  if (asked === null) return accepts.find(({ acceptsDeposits }) => acceptsDeposits) ?? accepts[0]
  return accepts.find((one) => assetOf(one).toLowerCase() === asked.toLowerCase())
}

type Known = { link: PayLink; page: DepositPage; query: URLSearchParams }

async function pageOf(ports: PayPorts, { link, page, query }: Known): Promise<PayPage | null> {
  const account = await ports.accounts.load(link.account)
  if (!account) return null
  const { organizationId, userId } = account
  const [intent, figures, context, found] = await Promise.all([
    ports.intents.load(account.id),
    ports.figures(),
    ports.viewContextFor({ tenant: organizationId }),
    ports.depositQueries.list(
      { organizationId, userId, createdFrom: link.madeAt, stage: stagesShown },
      { limit: depositsMax },
    ),
  ])
  const aboutRecipient = intent ? await ports.recipientNotices(intent) : []
  const known = { tokens: ports.tokens, figures, sponsoredGas: false, aboutRecipient }
  const view = depositAddressView(account, intent, known)
  const chosen = chosenOf(view.accepts, query.get('asset'))
  const amount = (query.get('amount') ?? '').trim().slice(0, 40)
  const raw = chosen ? typedAmount(amount, chosen.fromTokenDecimals) : null
  const token = chosen && ports.tokens.all.find((one) => assetOfToken(one) === assetOf(chosen))
  const gas = { feeRaw: token ? figures.gasFee(token) : null, at: figures.at }
  return {
    page,
    address: view.depositAddress,
    code: codeOf(view.depositAddress, chosen, query.has('asset') || amount !== '' ? { raw } : null),
    goesTo: view.hasIntent
      ? `It arrives as ${view.targetTokenSymbol} on ${chainOf(view.targetChainId!).shortName}.`
      : 'It is kept safe and waits until it is said where it goes.',
    choices: view.accepts
      .filter((one) => one.acceptsDeposits || one === chosen)
      .map((one) => ({ value: assetOf(one), label: labelOf(one), isChosen: one === chosen })),
    amount,
    terms: chosen ? termsOf(chosen, intent, raw, gas) : [],
    warnings: warningsOf(chosen),
    notices: [
      ...(chosen ? noticesOf(chosen, amount, raw) : []),
      ...view.notices.filter((notice) => isShown(notice, chosen)),
    ],
    deposits: found.map((one) => toldOf(one, context, page.name)),
    until: sentenceTime(link.expiresAt),
  }
}

/**
 * Every wallet reads an address. Not every one reads a payment, so that is shown to whoever asked for it, and nothing
 * while what was chosen is not accepted or not delivered.
 */
function codeOf(address: string, chosen: Accepted | undefined, asked: { raw: bigint | null } | null): PayPage['code'] {
  if (!chosen?.acceptsDeposits) return null
  if (!asked) return { text: address, label: 'QR code of the address' }
  return { text: withAmount(chosen, asked.raw), label: `QR code to send ${labelOf(chosen)} by a wallet` }
}

/** The payment that a wallet opens, with the amount where there is one (extensions 5.3). */
const withAmount = ({ paymentUri }: Accepted, raw: bigint | null): string =>
  raw === null ? paymentUri : `${paymentUri}${paymentUri.includes('?') ? '&uint256=' : '?value='}${raw}`

/** The hosted deposit page of an organization that has switched it on. A link shows one user’s page alone. */
export function payRoutes(ports: PayPorts) {
  async function answer(request: Request, token: string, nonce: string): Promise<Answer> {
    const { countIn, addressOf, vault, organizations, now } = ports
    const nowhere: Answer = [404, noPayHtml('This link does not work any more', gone, nonce)]
    const link = payLinkOf(vault, token, now())
    // Many who have a good link may share one address, so it is counted for the others alone.
    if (!link) countIn(`pay ${networkOf(addressOf(request) ?? '')}`, 'X', payRates, {})
    if (!link) return nowhere
    countIn(`pay ${link.account}`, 'R', payRates, {})
    const account = await ports.accounts.load(link.account)
    const organization = account && (await organizations.load(account.organizationId))
    const page = organization?.depositPage ?? null
    if (page === null || link.madeAt < page.since) return nowhere
    const shown = await pageOf(ports, { link, page, query: new URL(request.url).searchParams })
    return shown === null ? nowhere : [200, payHtml(shown, nonce)]
  }

  return new Elysia().get(
    '/pay/:token',
    async ({ request, params: { token }, set, route }) => {
      const nonce = crypto.randomUUID().replaceAll('-', '')
      const [status, html, more] = await answer(request, token, nonce).catch((error): Answer => {
        if (error instanceof StoreUnavailable)
          ports.noteBug(error, { requestId: nameRequest(request, set), route, code: 'STORE_UNAVAILABLE' })
        return sorryFor(error, nonce)
      })
      return new Response(html, { status, headers: { ...headersOf(nonce), ...more } })
    },
    hidden,
  )
}

type Answer = [status: number, html: string, headers?: Record<string, string>]

/** What a person reads who was refused for a while. Nobody expected any other error. */
function sorryFor(error: unknown, nonce: string): Answer {
  if (error instanceof StoreUnavailable) {
    const text = 'Nothing is lost, and what you sent is found later. Load this page again in a minute.'
    return [503, noPayHtml('This page is away for a moment', text, nonce), { 'retry-after': '1' }]
  }
  if (!(error instanceof Refusal) || error.code !== 'RATE_LIMITED') throw error
  return [429, noPayHtml('Too many requests', 'Wait a minute, then load this page again.', nonce), error.headers]
}

/** An address may guess as often as it may look, and everybody who has a link together this often. */
const payRates = { ...plans.free.rates, X: { perSecond: 2, burst: 60 }, R: { perSecond: 10, burst: 100 } }
