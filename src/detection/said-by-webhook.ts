import { getAddress } from 'viem/utils'
import type { ChainId } from '../domain/chain'
import { depositIdOf } from '../domain/execution'
import type { Address, Hash } from '../domain/hex'
import { type } from '../domain/schema'
import type { InboundWebhook } from '../ports/inbound-webhooks'
import { addressActivity, chainOfNetwork } from './read-webhook'

/** An entry has some 900 characters. */
const textMax = 4_096

const hex = (digits: string) => type(new RegExp(`^0x[0-9a-fA-F]{${digits}}$`))
const transfer = type({
  hash: hex('64'),
  category: "'token'",
  toAddress: hex('40'),
  rawContract: { address: hex('40'), rawValue: hex('1,64') },
  log: { logIndex: hex('1,8'), 'removed?': 'boolean' },
})
type Transfer = typeof transfer.infer

type Of = { createdAt?: string | undefined; network: string }

/**
 * What a webhook says of each transfer of a listed token, cut to that transfer: without who sent the webhook and
 * without its other entries. Native coins have no log, so nothing says which deposit theirs become.
 *
 * @param isListed tokens on no list are sent by the thousand to whoever has an address.
 */
export function saidByWebhook(
  body: unknown,
  at: number,
  isListed: (chainId: ChainId, token: Address) => boolean,
): InboundWebhook[] {
  const read = addressActivity(body)
  if (read instanceof type.errors) return []
  const { createdAt, event } = read
  const chainId = chainOfNetwork(event.network)
  if (chainId === undefined) return []
  const found = new Map<string, InboundWebhook>()
  for (const item of event.activity) {
    const said = transfer(item)
    if (said instanceof type.errors || !isDeposit(said, (token) => isListed(chainId, token))) continue
    const id = depositIdOf(chainId, said.hash.toLowerCase() as Hash, Number(said.log.logIndex))
    if (found.has(id)) continue
    const account = getAddress(said.toAddress.toLowerCase())
    found.set(id, { id, chainId, account, at, text: textOf(item, { createdAt, network: event.network }) })
  }
  return [...found.values()]
}

/** Alchemy tells of what a reorganization took back as well, as `removed`. */
const isDeposit = ({ rawContract, log }: Transfer, isListed: (token: Address) => boolean): boolean =>
  log.removed !== true && BigInt(rawContract.rawValue) > 0n && isListed(rawContract.address as Address)

function textOf(item: unknown, { createdAt, network }: Of): string | null {
  const text = JSON.stringify({ type: 'ADDRESS_ACTIVITY', createdAt, event: { network, activity: [item] } })
  return text.length <= textMax ? text : null
}
