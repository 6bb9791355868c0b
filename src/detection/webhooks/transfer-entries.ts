import { getAddress } from 'viem/utils'
import type { ChainId } from '../../domain/chain/chain'
import { type Address, type Hash, zeroAddress } from '../../domain/chain/hex'
import { depositIdOf } from '../../domain/execution/execution'
import { type } from '../../domain/schema'
import type { InboundWebhook } from '../../ports/detection'
import { addressActivity, chainOfNetwork } from './pointers'

/** Largest stored entry. A usual entry has about 900 characters. */
const textMax = 4_096

const hex = (digits: string) => type(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`))
const common = { 'blockNum?': hex('1,12'), hash: hex('64'), toAddress: hex('40') } as const
const transfer = type({
  ...common,
  category: "'token'",
  rawContract: { address: hex('40'), rawValue: hex('1,64') },
  log: { logIndex: hex('1,8'), 'removed?': 'boolean' },
})
const payment = type({
  ...common,
  category: "'external' | 'internal'",
  rawContract: { 'address?': 'null', rawValue: hex('1,64') },
  'typeTraceAddress?': type(/^\w{1,64}$/).or('null'),
})
type Transfer = typeof transfer.infer

type Envelope = { createdAt?: string | undefined; network: string }

/**
 * Returns the webhook entry of each transfer of a native coin or a listed token, cut to that transfer: without the
 * identity of the webhook and without its other entries.
 *
 * @param isListed Whether a token is on the list. Unlisted tokens are sent by the thousand to any address.
 */
export function transferEntries(
  body: unknown,
  at: number,
  isListed: (chainId: ChainId, token: Address) => boolean,
): InboundWebhook[] {
  const read = addressActivity(body)
  if (read instanceof type.errors) return []
  const { createdAt, event } = read
  const chainId = chainOfNetwork(event.network)
  if (chainId === undefined) return []
  const entries = new Map<string, InboundWebhook>()
  for (const item of event.activity) {
    const entry = ofToken(item, chainId, (token) => isListed(chainId, token)) ?? ofCoin(item, chainId)
    if (!entry || entries.has(entry.id)) continue
    const { id, token, to, blockNum } = entry
    const block = blockNum === undefined ? null : Number(blockNum)
    const text = textOf(item, { createdAt, network: event.network })
    entries.set(id, { id, chainId, account: getAddress(to.toLowerCase()), token, block, at, text })
  }
  return [...entries.values()]
}

type Entry = { id: string; token: Address; to: string; blockNum: string | undefined }

function ofToken(item: unknown, chainId: ChainId, isListed: (token: Address) => boolean): Entry | null {
  const entry = transfer(item)
  if (entry instanceof type.errors || !isDeposit(entry, isListed)) return null
  const { hash, log, toAddress: to, rawContract, blockNum } = entry
  const id = depositIdOf(chainId, hash.toLowerCase() as Hash, Number(log.logIndex))
  return { id, token: rawContract.address.toLowerCase() as Address, to, blockNum }
}

/** A transaction may pay an account in several of its calls. `typeTraceAddress` distinguishes them. */
function ofCoin(item: unknown, chainId: ChainId): Entry | null {
  const entry = payment(item)
  if (entry instanceof type.errors || BigInt(entry.rawContract.rawValue) === 0n) return null
  const { hash, toAddress: to, typeTraceAddress: call, blockNum } = entry
  const id = `${chainId}:${hash.toLowerCase()}:${call ?? 'external'}:${to.toLowerCase()}`
  return { id, token: zeroAddress, to, blockNum }
}

/** Alchemy also reports transfers that a reorganization removed, marked as `removed`. */
const isDeposit = ({ rawContract, log }: Transfer, isListed: (token: Address) => boolean): boolean =>
  log.removed !== true && BigInt(rawContract.rawValue) > 0n && isListed(rawContract.address as Address)

function textOf(item: unknown, { createdAt, network }: Envelope): string | null {
  const text = JSON.stringify({ type: 'ADDRESS_ACTIVITY', createdAt, event: { network, activity: [item] } })
  return text.length <= textMax ? text : null
}
