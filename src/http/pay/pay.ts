import { type Context, Elysia } from 'elysia'
import { formatUnits } from 'viem'
import { sentenceTime } from '../../domain/calendar'
import type { Account } from '../../domain/chain/account'
import { type ChainId, chainIds, chainOf } from '../../domain/chain/chain'
import { depositStages } from '../../domain/deposit/deposit-stage'
import { typedAmount } from '../../domain/money/amount'
import type { Token, TokenList } from '../../domain/money/token'
import { networkOf } from '../../domain/tenant/address-range'
import type { DepositPage } from '../../domain/tenant/deposit-page'
import { plans } from '../../domain/tenant/organization'
import { StoreUnavailable } from '../../domain/unavailable'
import type { FiguresNow, Preview } from '../../ports/prices'
import type { DepositQueries } from '../../ports/queries'
import type { Accounts, DepositIntents, Organizations } from '../../ports/tenants'
import type { Vault } from '../../ports/webhooks'
import { hidden } from '../openapi/operation-docs'
import { type NoteBug, Refusal } from '../request/failure'
import type { CountIn } from '../request/limits'
import { nameRequest } from '../request/request-id'
import type { RecipientNotices } from '../routes/recipient-notices'
import { depositAddressView } from '../views/deposit-address'
import type { ViewContextFor } from '../views/view-context'
import { estimates } from './estimate'
import { type Branding, depositHtml, noPayHtml, type PayPage, payHtml } from './pay-html'
import { type PayerAnswer, payerAnswerOf, payerTextOf } from './pay-state'
import { type Accepted, isBelow, isNoticeVisible, labelOf, noticesOf, targetOf, termsOf, warningsOf } from './pay-terms'
import { type PayLink, payLinkOf } from './pay-token'

type PayPorts = {
  organizations: Pick<Organizations, 'load'>
  accounts: Pick<Accounts, 'load'>
  page: Omit<PagePorts, 'accounts' | 'estimateOf'>
  preview: Preview
  vault: Pick<Vault, 'open'>
  countIn: CountIn
  addressOf: (request: Request) => string | undefined
  noteBug: NoteBug
  now: () => number
}

/** Allows nothing external and nothing inline without the nonce, and sends this page's URL to no other site. */
const headersOf = (nonce: string) => ({
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src 'self' data:",
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
/** A refund from a bridge is not the payer's deposit. */
const stagesShown = depositStages.filter((stage) => stage !== 'RETURNED' && stage !== 'UNSUPPORTED')
const gone = 'Ask the sender of the link for a new one.'

const assetOf = ({ fromChainId, fromTokenAddress }: Accepted): string => `${fromChainId}:${fromTokenAddress}`
const assetOfToken = ({ chainId, address }: Token): string => `${chainId}:${address}`
/**
 * Returns the requested token; without a request, the first that is currently delivered. A token that is not accepted
 * is never replaced by another.
 */
function chosenOf(accepts: readonly Accepted[], requested: string | null): Accepted | undefined {
  if (requested === null) return accepts.find(({ acceptsDeposits }) => acceptsDeposits) ?? accepts[0]
  return accepts.find((one) => assetOf(one).toLowerCase() === requested.toLowerCase())
}

/** What a page shows. */
type PagePorts = {
  accounts: Pick<Accounts, 'load'>
  intents: Pick<DepositIntents, 'load'>
  depositQueries: Pick<DepositQueries, 'list' | 'find'>
  tokens: TokenList
  figures: FiguresNow
  recipientNotices: RecipientNotices
  viewContextFor: ViewContextFor
  estimateOf: ReturnType<typeof estimates>
}
type PayRequest = { link: PayLink; page: Branding; query: URLSearchParams }

async function pageOf(ports: PagePorts, { link, page, query }: PayRequest): Promise<PayPage | null> {
  const account = await ports.accounts.load(link.account)
  if (!account) return null
  const { organizationId, userId } = account
  const [intent, figures, context, deposits] = await Promise.all([
    ports.intents.load(account.id),
    ports.figures(),
    ports.viewContextFor({ tenant: organizationId }),
    ports.depositQueries.list(
      { organizationId, userId, createdFrom: link.madeAt, stage: stagesShown },
      { limit: depositsMax },
    ),
  ])
  const aboutRecipient = intent ? await ports.recipientNotices(intent) : []
  const addressContext = { tokens: ports.tokens, figures, sponsoredGas: false, aboutRecipient }
  const view = depositAddressView(account, intent, addressContext)
  const chosen = chosenOf(view.accepts, query.get('asset'))
  const amount = (query.get('amount') ?? '').trim().slice(0, 40)
  const raw = chosen ? typedAmount(amount, chosen.fromTokenDecimals) : null
  const token = chosen && ports.tokens.all.find((one) => assetOfToken(one) === assetOf(chosen))
  const sent =
    intent && token && raw !== null && chosen.acceptsDeposits && !isBelow(chosen, raw)
      ? { raw, estimate: await ports.estimateOf({ account, intent, token, amountRaw: raw }) }
      : null
  const warnings = warningsOf(chosen, sent)
  return {
    page,
    address: view.depositAddress,
    code:
      chosen && warnings.length === 0
        ? codeOf(view.depositAddress, chosen, { raw, isRequested: query.has('asset') || amount !== '' })
        : null,
    goesTo: view.hasIntent
      ? `It arrives as ${view.targetTokenSymbol} on ${chainOf(view.targetChainId!).name}.`
      : 'It is kept safe and waits until its destination is set.',
    ...choicesOf(view.accepts, chosen, amount),
    amount,
    terms: chosen
      ? termsOf(chosen, intent, sent, intent && targetOf(intent, view.targetTokenSymbol, ports.tokens))
      : [],
    warnings,
    notices: [
      ...(chosen ? noticesOf(chosen, amount, raw) : []),
      ...view.notices.filter((notice) => isNoticeVisible(notice, chosen)),
    ],
    deposits: deposits.map((one) => payerTextOf(one, context, page.name)),
    until: sentenceTime(link.expiresAt),
  }
}

/** Returns the one deposit of a link, if it is the account's. */
async function answerOf(
  { depositQueries, viewContextFor }: Pick<PagePorts, 'depositQueries' | 'viewContextFor'>,
  { userId, organizationId }: Account,
  depositId: string,
  name: string,
): Promise<PayerAnswer | null> {
  const [deposit, context] = await Promise.all([
    depositQueries.find({ organizationId }, depositId),
    viewContextFor({ tenant: organizationId }),
  ])
  return (deposit?.execution ?? deposit?.sighting)?.userId === userId ? payerAnswerOf(deposit!, context, name) : null
}

/**
 * Returns the networks, and the tokens of the chosen network. Another network keeps the token's symbol if it accepts
 * such a token, and the amount.
 */
function choicesOf(
  accepts: readonly Accepted[],
  chosen: Accepted | undefined,
  amount: string,
): Pick<PayPage, 'networks' | 'choices'> {
  const offered = accepts.filter((one) => one.acceptsDeposits || one === chosen)
  const onChain = (id: ChainId) => offered.filter(({ fromChainId }) => fromChainId === id)
  const open = chainIds.filter((id) => onChain(id).length > 0)
  const here = chosen?.fromChainId ?? open[0]
  const networks = open.map((id) => {
    const tokens = onChain(id)
    const one = tokens.find(({ fromTokenSymbol }) => fromTokenSymbol === chosen?.fromTokenSymbol) ?? tokens[0]!
    const query = new URLSearchParams({ asset: assetOf(one), ...(amount !== '' && { amount }) })
    return { href: `?${query}`, label: chainOf(id).name, isChosen: id === chosen?.fromChainId }
  })
  const tokens = here === undefined ? [] : onChain(here)
  const choices = tokens.map((one) => ({
    value: assetOf(one),
    label: chosen ? one.fromTokenSymbol : labelOf(one),
    isChosen: one === chosen,
  }))
  return { networks, choices }
}

/** Returns the content of the QR code: the payment only on request, because some wallets read only an address. */
function codeOf(
  address: string,
  chosen: Accepted,
  { raw, isRequested }: { raw: bigint | null; isRequested: boolean },
): PayPage['code'] {
  const uri = withAmount(chosen, raw)
  const common = {
    uri,
    only: labelOf(chosen),
    amount: raw === null ? null : formatUnits(raw, chosen.fromTokenDecimals),
  }
  if (!isRequested) return { text: address, label: 'QR code of the address', ...common }
  return { text: uri, label: `QR code to send ${labelOf(chosen)} by a wallet`, ...common }
}

/** Returns the payment that a wallet opens, with the amount if there is one (extensions 5.3). */
const withAmount = ({ paymentUri }: Accepted, raw: bigint | null): string =>
  raw === null ? paymentUri : `${paymentUri}${paymentUri.includes('?') ? '&uint256=' : '?value='}${raw}`

/** The hosted deposit page of an organization that has switched it on. A link shows only one user's page. */
export function payRoutes(ports: PayPorts) {
  const { countIn, addressOf, vault, organizations, accounts, page: shown, preview, now } = ports
  const countPreview = (account: string) => countIn(`pay ${account}`, 'S', payRates, {})
  const page: PagePorts = { ...shown, accounts, estimateOf: estimates({ preview, now, countPreview }) }

  /** Returns a valid link with its account and page. */
  async function openedBy(request: Request, token: string): Promise<Opened | null> {
    const link = payLinkOf(vault, token, now())
    // Many people with valid links can share one network address, so only invalid links count against it.
    if (!link) countIn(`pay ${networkOf(addressOf(request) ?? '')}`, 'X', payRates, {})
    if (!link) return null
    countIn(`pay ${link.account}`, 'R', payRates, {})
    const account = await accounts.load(link.account)
    const organization = account && (await organizations.load(account.organizationId))
    const terms = organization?.depositPage ?? null
    return account && terms !== null && link.madeAt >= terms.since ? { link, account, terms } : null
  }

  async function answer(request: Request, token: string, nonce: string): Promise<Answer> {
    const nowhere: Answer = [404, noPayHtml('This link no longer works', gone, nonce)]
    const opened = await openedBy(request, token)
    if (!opened) return nowhere
    const { link, account, terms } = opened
    const { name, color } = terms
    const branding = { name, color, logo: terms.logo ? `${token}/logo` : null }
    if (link.deposit !== null) {
      const answered = await answerOf(page, account, link.deposit, name)
      return answered === null ? nowhere : [200, depositHtml(answered, branding, sentenceTime(link.expiresAt), nonce)]
    }
    const payPage = await pageOf(page, { link, page: branding, query: new URL(request.url).searchParams })
    return payPage === null ? nowhere : [200, payHtml(payPage, nonce)]
  }

  /** Sends an answer, or the page for an expected error. */
  const sent = async (
    { request, set, route }: Pick<Context, 'request' | 'set' | 'route'>,
    make: (nonce: string) => Promise<Answer>,
  ): Promise<Response> => {
    const nonce = crypto.randomUUID().replaceAll('-', '')
    const [status, body, more] = await make(nonce).catch((error): Answer => {
      if (error instanceof StoreUnavailable)
        ports.noteBug(error, { requestId: nameRequest(request, set), route, code: 'STORE_UNAVAILABLE' })
      return sorryFor(error, nonce)
    })
    return new Response(body, { status, headers: { ...headersOf(nonce), ...more } })
  }

  return new Elysia()
    .get('/pay/:token', (call) => sent(call, (nonce) => answer(call.request, call.params.token, nonce)), hidden)
    .get(
      '/pay/:token/logo',
      (call) =>
        sent(call, async (nonce) => {
          const logo = (await openedBy(call.request, call.params.token))?.terms.logo
          if (!logo) return [404, noPayHtml('This link no longer works', gone, nonce)]
          const picture = Buffer.from(logo.slice(logo.indexOf(',') + 1), 'base64')
          return [200, picture, { 'content-type': 'image/png', 'cache-control': 'private, max-age=300' }]
        }),
      hidden,
    )
}

type Opened = { link: PayLink; account: Account; terms: DepositPage }
type Answer = [status: number, body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>]

/** Returns the page for an expected error: a rate limit or an unavailable store. Any other error is thrown again. */
function sorryFor(error: unknown, nonce: string): Answer {
  if (error instanceof StoreUnavailable) {
    const text = 'Nothing is lost, and your payment will be found later. Load this page again in a minute.'
    return [503, noPayHtml('This page is unavailable for a moment', text, nonce), { 'retry-after': '1' }]
  }
  if (!(error instanceof Refusal) || error.code !== 'RATE_LIMITED') throw error
  return [429, noPayHtml('Too many requests', 'Wait a minute, then load this page again.', nonce), error.headers]
}

/** Rates for invalid links per network (X), for all readers of one link together (R), and for its estimates (S). */
const payRates = {
  ...plans.free.rates,
  S: { perSecond: 0.5, burst: 10 },
  X: { perSecond: 2, burst: 60 },
  R: { perSecond: 10, burst: 100 },
}
