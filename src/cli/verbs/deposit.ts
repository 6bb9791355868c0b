import { getAddress, isAddress } from 'viem'
import { wallClock } from '../../adapters/clock'
import { type ChainKey, chains, isChainId } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { Api, type IntentAnswer, sendFromFaucet } from '../client/api'
import { recipientOf } from '../demo/demo-deposits'
import { balanceOf, requireBalance, waitUntilMined } from '../demo/faucet'
import { quotaOrganization } from '../demo/seed-intent'
import { sendForOutcome } from '../demo/send-for-outcome'
import { clientKey } from '../installation/client-key'
import { databaseUrl, withStore } from '../installation/database'
import { type DevnetFile, readDevnetFile } from '../installation/devnet-file'
import { sealsWith } from '../installation/seals'
import { Failure } from '../terminal/failure'
import { followToEnd } from '../terminal/follow'
import { amountText, fundsText } from '../terminal/funds-text'
import { humanAmount, parseHumanAmount } from '../terminal/human-amount'
import { printerSince } from '../terminal/progress'

type SourceOptions = { from: ChainKey; token: string; amount: string }
type DepositOptions = SourceOptions & {
  user: string
  organization?: string
  toChain?: ChainKey
  toToken?: string
  recipient?: string
  timeout: number
}

type Token = { address: Address; symbol: string; decimals: number }

type CommandOptions = Omit<DepositOptions, keyof SourceOptions> & Partial<SourceOptions> & { outcome?: string }

const ignoredWithOutcome = ['token', 'amount', 'toChain', 'toToken', 'recipient'] as const
const kebab = (name: string): string => name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)

/** Sends a deposit as an end user of the running demo, follows it, and shows its result. */
export async function deposit({ outcome, ...options }: CommandOptions): Promise<void> {
  const { from, token, amount } = options
  if (outcome) {
    const ignored = ignoredWithOutcome.filter((name) => options[name] !== undefined).map((name) => `--${kebab(name)}`)
    if (ignored.length > 0)
      throw new Failure(`--outcome decides what is sent and where it goes: leave out ${ignored.join(', ')}.`)
    return depositOutcome({ ...options, outcome })
  }
  if (!from || !token || !amount) throw new Failure('Give --from, --token and --amount, or give --outcome.')
  return depositToken({ ...options, from, token, amount })
}

async function depositToken(options: DepositOptions): Promise<void> {
  const file = readDevnetFile()
  const client = await withStore(databaseUrl({}), (store) => clientKey(store, file.keys, options.organization))
  const api = new Api(file.apiUrl, client.key)
  const sold = tokenIn(file, options.from, options.token)
  const amountRaw = parseHumanAmount(options.amount, sold.decimals)
  const intent = await intentFor(api, file, options)
  const existing = await api.existingIds(options.user)
  const chainId = chains[options.from].id
  if (!isChainId(intent.targetChainId)) throw new Failure('The target chain of the intent is not supported.')
  const destination = file.chains[intent.targetChainId]
  const bought = tokenIn(file, destination.key, intent.targetTokenAddress)
  const balance = () => balanceOf(destination.rpcUrl, bought.address, intent.targetAddress)
  const before = await balance()

  const { depositAddress } = intent
  const { rpcUrl } = file.chains[chainId]
  await requireBalance(rpcUrl, file.faucetPrivateKey, { ...sold, token: sold.address, amountRaw, to: depositAddress })
  const print = printerSince(wallClock())
  const { hash, isMined } = await send(file, { symbol: sold.symbol, amountRaw, from: options.from, to: depositAddress })
  const recipient = `${options.user} of ${client.organization}`
  print(`sent ${options.amount} ${sold.symbol} on ${options.from} to ${depositAddress}, ${recipient}: ${hash}`)
  if (!isMined) print(`${options.from} has not mined it yet`)
  const [ended, record] = await withStore(databaseUrl({}), async ({ executions }) => {
    const load = (id: string) => executions.load(id)
    const ended = await followToEnd({
      api,
      userId: options.user,
      deposit: { chainId, token: sold.address, hash },
      existing,
      load,
      timeoutMs: options.timeout * 1_000,
      onStatus: (status, at, note) => print(`${status}${note ? `: ${note}` : ''}`, at),
      onWait: (message) => print(message),
      onDetected: (id) => print(`found: execution ${id}`),
    })
    return [ended, await load(ended.id)]
  })
  const { fees, delivery } = record!.facts
  const soldText = (raw: string | bigint) => `${humanAmount(BigInt(raw), sold.decimals)} ${sold.symbol}`
  const boughtText = (raw: string | bigint) => `${humanAmount(BigInt(raw), bought.decimals)} ${bought.symbol}`
  const after = await balance()
  const residue = BigInt(fees!.totalReceivedRaw) - BigInt(ended.amountIn)
  console.log(`
Execution        ${ended.id}
Organization     ${client.organization}
Route            ${sold.symbol} on ${options.from} → ${bought.symbol} on ${destination.key}
Deposit          ${hash}
Source           ${ended.txHash}
Destination      ${delivery?.hash}
Amount in        ${soldText(ended.amountIn)}${residue === 0n ? '' : `, and ${soldText(residue)} that earlier deposits had left in the account`}
Protocol fee     ${soldText(fees!.protocolFeeEffective)}
Gas fee          ${soldText(fees!.gasFeeRaw)}
Delivered        ${boughtText(delivery!.amountRaw)} to ${intent.targetAddress}
Recipient        ${boughtText(before)} before, ${boughtText(after)} after`)
}

type Sending = { symbol: string; amountRaw: bigint; from: ChainKey; to: Address }

/** Sends a token from the demo's faucet, and waits a while for it to be mined. */
async function send(file: DevnetFile, { symbol, amountRaw, from, to }: Sending) {
  const hash = await sendFromFaucet(file.controlUrl, {
    depositAddress: to,
    fromChainKey: from,
    fromTokenSymbol: symbol,
    amountIn: `${amountRaw}`,
  })
  return { hash, isMined: await waitUntilMined(file.chains[chains[from].id].rpcUrl, hash) }
}

/** Returns the user's intent, created or changed if the options require it. */
async function intentFor(api: Api, file: DevnetFile, options: DepositOptions): Promise<IntentAnswer> {
  const { user, from, toChain, toToken, recipient } = options
  const stored = await api.findIntent(user)
  if (stored && !toChain && !toToken && !recipient) return stored
  if (recipient && !isAddress(recipient)) throw new Failure('--recipient must be an EVM address.')
  const target = toChain ?? storedChain(file, stored) ?? (from === 'arbitrum' ? 'base' : 'arbitrum')
  const isSameChain = stored?.targetChainKey === target
  const token = toToken ?? (isSameChain ? stored.targetTokenAddress : 'USDC')
  return api.createIntent({
    userId: user,
    targetChainId: chains[target].id,
    targetTokenAddress: tokenIn(file, target, token).address,
    targetAddress: recipient ? getAddress(recipient) : (stored?.targetAddress ?? recipientOf(user)),
  })
}

const storedChain = (file: DevnetFile, stored: IntentAnswer | null): ChainKey | null =>
  stored && isChainId(stored.targetChainId) ? file.chains[stored.targetChainId].key : null

/** Finds a token by its symbol, in any case, or by its address. `native` is the chain's coin. */
function tokenIn(file: DevnetFile, key: ChainKey, name: string): Token {
  const { symbol: coin } = chains[key].native
  const wanted = name.toLowerCase()
  if (wanted === 'native' || wanted === coin.toLowerCase() || wanted === zeroAddress)
    return { address: zeroAddress, symbol: coin, decimals: 18 }
  const { tokens } = file.chains[chains[key].id]
  for (const [symbol, { address, decimals }] of Object.entries(tokens))
    if (wanted === symbol.toLowerCase() || wanted === address.toLowerCase()) return { address, symbol, decimals }
  throw new Failure(
    `There is no token ${name} on ${key}. The tokens are: ${[coin, ...Object.keys(tokens)].join(', ')}.`,
  )
}

type OutcomeOptions = { user: string; organization?: string; outcome: string; from?: ChainKey; timeout: number }

/** Sends a deposit that reaches a status by its real cause, and shows its result. */
export async function depositOutcome({ user, organization, outcome, from = 'base', timeout }: OutcomeOptions) {
  const file = readDevnetFile()
  const { apiUrl, controlUrl } = file
  const print = printerSince(wallClock())
  await withStore(databaseUrl({}), async (store) => {
    const isQuota = outcome === 'QUOTA_EXCEEDED'
    if (isQuota && (organization ?? quotaOrganization) !== quotaOrganization)
      throw new Failure(
        `QUOTA_EXCEEDED needs ${quotaOrganization}, the organization whose quota is 0: leave out --organization.`,
      )
    const client = isQuota
      ? { key: file.keys.quota, organization: quotaOrganization }
      : await clientKey(store, file.keys, organization)
    const recipient = `${user} of ${client.organization}`
    const { ended, detail, sent, hash } = await sendForOutcome({
      apiUrl,
      controlUrl,
      keys: { client: client.key, quota: file.keys.quota },
      store,
      seals: sealsWith(file.intentMacKey),
      userId: user,
      from,
      outcome,
      timeoutMs: timeout * 1_000,
      checkSent: (hash) => waitUntilMined(file.chains[chains[from].id].rpcUrl, hash),
      onSent: (hash, { cause }) => print(`sent on ${from} to ${recipient}: ${hash}. ${cause}.`),
      onStatus: (status, at, note) => print(`${status}${note ? `: ${note}` : ''}`, at),
      onWait: (message) => print(message),
      onDetected: (id) => print(`found: execution ${id}`),
    })
    const how = sent.how.replaceAll('{devnet_url}', controlUrl).replaceAll(':chainKey', from)
    const reason = ended.lastErrorCode ? `${ended.lastErrorCode}: ${ended.lastErrorMessage}` : 'none'
    console.log(`
Execution        ${ended.id}
Organization     ${client.organization}
Status           ${ended.status}
Error            ${reason}
Retries          ${ended.retryCount}
Deposit          ${hash}
Amount in        ${amountText(ended.amountIn, detail.fromTokenDecimals, detail.fromTokenSymbol)}
Money            ${fundsText(detail)}
Next             ${detail.next.actor} ${detail.next.action}: ${detail.next.message}
Caused by        ${sent.cause}${how ? `\n                 ${how}` : ''}`)
  })
}
