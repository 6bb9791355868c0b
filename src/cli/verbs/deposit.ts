import { getAddress, isAddress } from 'viem'
import { type ChainKey, chains, isChainId } from '../../domain/chain/chain'
import { type Address, zeroAddress } from '../../domain/chain/hex'
import { Api, type IntentAnswer, sendFromFaucet } from '../client/api'
import { recipientOf } from '../demo/demo-deposits'
import { balanceOf, requireBalance, waitUntilMined } from '../demo/faucet'
import { clientKey } from '../installation/client-key'
import { databaseUrl, withStore } from '../installation/database'
import { type DevnetFile, readDevnetFile } from '../installation/devnet-file'
import { Failure } from '../terminal/failure'
import { followToEnd } from '../terminal/follow'
import { humanAmount, parseHumanAmount } from '../terminal/human-amount'
import { printerSince } from '../terminal/progress'
import { depositOutcome } from './deposit-outcome'

type Sold = { from: ChainKey; token: string; amount: string }
export type DepositOptions = Sold & {
  user: string
  organization?: string
  toChain?: ChainKey
  toToken?: string
  recipient?: string
  timeout: number
}

type Chosen = { address: Address; symbol: string; decimals: number }

type Given = Omit<DepositOptions, keyof Sold> & Partial<Sold> & { outcome?: string }

const notWithOutcome = ['token', 'amount', 'toChain', 'toToken', 'recipient'] as const
const kebab = (name: string): string => name.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)

/** Acts as an end user of the running demo: sends, follows, and shows what became of it. */
export async function deposit({ outcome, ...given }: Given): Promise<void> {
  const { from, token, amount } = given
  if (outcome) {
    const useless = notWithOutcome.filter((name) => given[name] !== undefined).map((name) => `--${kebab(name)}`)
    if (useless.length > 0)
      throw new Failure(`--outcome decides what is sent and where to: leave out ${useless.join(', ')}.`)
    return depositOutcome({ ...given, outcome })
  }
  if (!from || !token || !amount) throw new Failure('Name --from, --token and --amount, or an --outcome.')
  return depositOf({ ...given, from, token, amount })
}

async function depositOf(options: DepositOptions): Promise<void> {
  const file = readDevnetFile()
  const client = await withStore(databaseUrl({}), (store) => clientKey(store, file.keys, options.organization))
  const api = new Api(file.apiUrl, client.key)
  const sold = tokenIn(file, options.from, options.token)
  const amountRaw = parseHumanAmount(options.amount, sold.decimals)
  const intent = await intentOf(api, file, options)
  const known = await api.known(options.user)
  const chainId = chains[options.from].id
  if (!isChainId(intent.targetChainId)) throw new Failure('The intent names a chain that is not supported.')
  const destination = file.chains[intent.targetChainId]
  const bought = tokenIn(file, destination.key, intent.targetTokenAddress)
  const balance = () => balanceOf(destination.rpcUrl, bought.address, intent.targetAddress)
  const before = await balance()

  const { rpcUrl } = file.chains[chainId]
  const { depositAddress } = intent
  const token = sold.address
  await requireBalance(rpcUrl, file.faucetPrivateKey, { ...sold, token, amountRaw, to: depositAddress })
  const say = printerSince(Date.now())
  const hash = await sendFromFaucet(file.controlUrl, {
    depositAddress,
    fromChainKey: options.from,
    fromTokenSymbol: sold.symbol,
    amountIn: `${amountRaw}`,
  })
  const isMined = await waitUntilMined(rpcUrl, hash)
  const whose = `${options.user} of ${client.organization}`
  say(`sent ${options.amount} ${sold.symbol} on ${options.from} to ${depositAddress}, ${whose}: ${hash}`)
  if (!isMined) say(`${options.from} has not taken it into a block yet`)
  const [ended, record] = await withStore(databaseUrl({}), async ({ executions }) => {
    const load = (id: string) => executions.load(id)
    const ended = await followToEnd({
      api,
      userId: options.user,
      deposit: { chainId, token, hash },
      known,
      load,
      timeoutMs: options.timeout * 1_000,
      onStatus: (status, at, note) => say(`${status}${note ? `: ${note}` : ''}`, at),
      onWait: (said) => say(said),
      onFound: (id) => say(`found: execution ${id}`),
    })
    return [ended, await load(ended.id)]
  })
  const { fees, delivery } = record!.facts
  const sell = (raw: string | bigint) => `${humanAmount(BigInt(raw), sold.decimals)} ${sold.symbol}`
  const buy = (raw: string | bigint) => `${humanAmount(BigInt(raw), bought.decimals)} ${bought.symbol}`
  const after = await balance()
  const residue = BigInt(fees!.totalReceivedRaw) - BigInt(ended.amountIn)
  console.log(`
Execution        ${ended.id}
Organization     ${client.organization}
Route            ${sold.symbol} on ${options.from} → ${bought.symbol} on ${destination.key}
Deposit          ${hash}
Source           ${ended.txHash}
Destination      ${delivery?.hash}
Amount in        ${sell(ended.amountIn)}${residue === 0n ? '' : `, and ${sell(residue)} that earlier deposits had left there`}
Protocol fee     ${sell(fees!.protocolFeeEffective)}
Gas fee          ${sell(fees!.gasFeeRaw)}
Delivered        ${buy(delivery!.amountRaw)} to ${intent.targetAddress}
Recipient        ${buy(before)} before, ${buy(after)} after`)
}

/** The user's own, or one that is made or changed as the options say. */
async function intentOf(api: Api, file: DevnetFile, options: DepositOptions): Promise<IntentAnswer> {
  const { user, from, toChain, toToken, recipient } = options
  const stored = await api.findIntent(user)
  if (stored && !toChain && !toToken && !recipient) return stored
  if (recipient && !isAddress(recipient)) throw new Failure('The recipient must be an EVM address.')
  const target = toChain ?? storedChain(file, stored) ?? (from === 'arbitrum' ? 'base' : 'arbitrum')
  const isSameChain = stored?.targetChainKey === target
  const token = toToken ?? (isSameChain ? stored.targetTokenAddress : 'USDC')
  return api.makeIntent({
    userId: user,
    targetChainId: chains[target].id,
    targetTokenAddress: tokenIn(file, target, token).address,
    targetAddress: recipient ? getAddress(recipient) : (stored?.targetAddress ?? recipientOf(user)),
  })
}

const storedChain = (file: DevnetFile, stored: IntentAnswer | null): ChainKey | null =>
  stored && isChainId(stored.targetChainId) ? file.chains[stored.targetChainId].key : null

/** By symbol in any case, or by address; `native` is the chain's coin. */
function tokenIn(file: DevnetFile, key: ChainKey, name: string): Chosen {
  const { symbol: coin } = chains[key].native
  const wanted = name.toLowerCase()
  if (wanted === 'native' || wanted === coin.toLowerCase() || wanted === zeroAddress)
    return { address: zeroAddress, symbol: coin, decimals: 18 }
  const { tokens } = file.chains[chains[key].id]
  for (const [symbol, { address, decimals }] of Object.entries(tokens))
    if (wanted === symbol.toLowerCase() || wanted === address.toLowerCase()) return { address, symbol, decimals }
  throw new Failure(`No token ${name} on ${key}; there are ${[coin, ...Object.keys(tokens)].join(', ')}.`)
}
