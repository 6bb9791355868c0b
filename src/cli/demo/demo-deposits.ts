import { keccak256, stringToHex } from 'viem'
import { getAddress } from 'viem/utils'
import { wallClock } from '../../adapters/clock'
import { tokenOf } from '../../devnet/chains/tokens'
import type { Devnet } from '../../devnet/devnet'
import { type ChainKey, chains } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Execution } from '../../domain/execution/execution'
import type { Api, IntentAnswer } from '../client/api'
import { Failure } from '../terminal/failure'
import { followToEnd } from '../terminal/follow'
import { humanAmount, parseHumanAmount } from '../terminal/human-amount'
import { type Report, seconds } from '../terminal/progress'

type Row = { user: string; from: ChainKey; token: string; amount: string; to: ChainKey; receive: string }

const rows: readonly Row[] = [
  { user: 'alice', from: 'base', token: 'USDC', amount: '25', to: 'arbitrum', receive: 'USDC' },
  { user: 'bob', from: 'ethereum', token: 'USDT', amount: '100', to: 'base', receive: 'USDC' },
  { user: 'carol', from: 'polygon', token: 'USDC', amount: '40', to: 'avalanche', receive: 'USDC' },
  { user: 'dave', from: 'arbitrum', token: 'WETH', amount: '0.5', to: 'polygon', receive: 'WETH' },
  { user: 'erin', from: 'avalanche', token: 'USDC', amount: '60', to: 'ethereum', receive: 'USDC' },
  { user: 'frank', from: 'base', token: 'ETH', amount: '0.05', to: 'arbitrum', receive: 'ETH' },
]

/**
 * The demo's deposits: one ERC-20 token on each of the five chains, and one native coin. The test networks have fewer
 * tokens, so some rows use USDC there.
 */
export const demoDeposits: readonly Row[] = rows.map((row) => {
  const isThere = tokenOf(chains[row.from].id, row.token) && tokenOf(chains[row.to].id, row.receive)
  return isThere ? row : { ...row, token: 'USDC', amount: '50', receive: 'USDC' }
})

export type Outcome = {
  route: string
  amountIn: string
  fee: string
  delivered: string
  sourceHash: string
  destinationHash: string
  /** Time from the confirmed deposit to SUCCESS. */
  took: string
  before: string
  after: string
}

export const routeText = ({ from, token, to, receive }: Row): string => `${token} ${from} → ${receive} ${to}`

/** Derives a made-up recipient address for a demo user. */
export const recipientOf = (user: string): Address =>
  getAddress(`0x${keccak256(stringToHex(`switchyard demo recipient ${user}`)).slice(-40)}`)

export const createIntent = (api: Api, { user, to, receive }: Row): Promise<IntentAnswer> =>
  api.createIntent({
    userId: user,
    targetChainId: chains[to].id,
    targetTokenAddress: tokenOf(chains[to].id, receive)!.address,
    targetAddress: recipientOf(user),
  })

type DemoWorld = { api: Api; devnet: Devnet; load: (id: string) => Promise<Execution | null> }

/** Sends one deposit as its end user and follows it to its end. */
export async function sendAndFollow(
  world: DemoWorld,
  row: Row,
  depositAddress: Address,
  report: Report,
): Promise<Outcome> {
  const { api, devnet } = world
  const sold = tokenOf(chains[row.from].id, row.token)!
  const bought = tokenOf(chains[row.to].id, row.receive)!
  const amountRaw = parseHumanAmount(row.amount, sold.decimals)
  const balance = () => devnet.balanceOf(row.to, row.receive, recipientOf(row.user))
  const before = await balance()
  const existing = new Set((await api.executions(row.user)).map(({ id }) => id))

  const sentAt = wallClock()
  const hash = await devnet.sendDeposit({ chainKey: row.from, token: row.token, amountRaw, to: depositAddress })
  report(`${seconds(0)}  sent ${row.amount} ${row.token} on ${row.from} to ${depositAddress}`)
  const ended = await followToEnd({
    api,
    userId: row.user,
    deposit: { chainId: chains[row.from].id, token: sold.address, hash },
    existing,
    timeoutMs: 600_000,
    load: world.load,
    onStatus: (status, at, note) => report(`${seconds(at - sentAt)}  ${status}${note ? `: ${note}` : ''}`),
  })

  const record = await world.load(ended.id)
  const { fees, delivery } = record?.facts ?? {}
  if (!record || !fees || !delivery) throw new Failure(`Execution ${ended.id} is in SUCCESS but names no delivery.`)
  const after = await balance()
  if (after - before !== BigInt(delivery.amountRaw))
    throw new Failure(
      `Execution ${ended.id} reports that ${delivery.amountRaw} arrived, but the chain shows ${after - before}.`,
    )
  const soldText = (amount: bigint) => `${humanAmount(amount, sold.decimals)} ${sold.symbol}`
  const boughtText = (amount: bigint) => `${humanAmount(amount, bought.decimals)} ${bought.symbol}`
  return {
    route: routeText(row),
    amountIn: soldText(BigInt(ended.amountIn)),
    fee: soldText(BigInt(fees.protocolFeeEffective) + BigInt(fees.gasFeeRaw)),
    delivered: boughtText(BigInt(delivery.amountRaw)),
    sourceHash: ended.txHash ?? '',
    destinationHash: delivery.hash,
    took: seconds(record.completedAt! - record.history[0]!.at),
    before: humanAmount(before, bought.decimals),
    after: humanAmount(after, bought.decimals),
  }
}
