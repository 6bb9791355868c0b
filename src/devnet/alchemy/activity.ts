import { formatUnits, toEventSelector, toHex, zeroAddress } from 'viem'
import { deploymentProxy } from '../../domain/chain/account'
import type { Address, Hex } from '../../domain/chain/hex'
import { relayDepository } from '../../protocols/relay/relay-order'
import { readBridgeLogs } from '../bridge/bridge-ledger'
import { accounts, lifiFeeRecipient } from '../chains/accounts'
import type { MinedBlock } from '../chains/chain-watch'
import { bridgeAddress, devnetContracts } from '../chains/contracts'
import type { DevChain } from '../chains/dev-chain'
import { tokenOf, tokens } from '../chains/tokens'
import type { Log } from '../rpc/rpc'

/** An item of an Address Activity webhook. */
export type Activity = {
  blockNum: Hex
  hash: Hex
  fromAddress: Address
  toAddress: Address
  value: number
  asset: string
  category: 'token' | 'erc721' | 'external' | 'internal'
  erc721TokenId: Hex | null
  erc1155Metadata: null
  rawContract: { rawValue: Hex; address: Address | null; decimals: number }
  typeTraceAddress: string | null
  log?: Log
}

const transferTopic = toEventSelector('Transfer(address,address,uint256)')

/**
 * The transfers in a block. Native coin sent by contracts is limited to the bridge's payments. Avalanche has none,
 * because Alchemy reports no internal transfers there.
 */
export function activityOf({ id, key }: Pick<DevChain, 'id' | 'key'>, block: MinedBlock): Activity[] {
  const native = tokenOf(id, 'native')!
  const coin = (
    category: 'external' | 'internal',
    hash: Hex,
    from: Address,
    to: Address,
    amount: bigint,
  ): Activity => ({
    blockNum: block.header.number,
    hash,
    fromAddress: lower(from),
    toAddress: lower(to),
    value: Number(formatUnits(amount, 18)),
    asset: native.symbol,
    category,
    erc721TokenId: null,
    erc1155Metadata: null,
    rawContract: { rawValue: toHex(amount), address: null, decimals: 18 },
    typeTraceAddress: category === 'internal' ? 'call_0' : null,
  })

  return block.receipts.flatMap(({ transactionHash: hash, status, logs }) => {
    if (status !== '0x1') return []
    const { from, to, value = '0x0' } = block.plain.get(hash) ?? {}
    const sent = from && to && BigInt(value) > 0n ? [coin('external', hash, from, to, BigInt(value))] : []
    const paid = key === 'avalanche' ? [] : coinPaidByBridge(logs)
    return [
      ...logs.flatMap((log) => tokenTransfer(id, log)),
      ...sent,
      ...paid.map((payment) => coin('internal', hash, bridgeAddress, payment.to, payment.amount)),
    ]
  })
}

const wordDigits = 66

/**
 * The activity that a log shows. A collectible's transfer has the same first topic, a fourth topic with the id, and no
 * data. Any contract may log other data under that topic, which is no transfer.
 */
function tokenTransfer(chainId: DevChain['id'], log: Log): Activity[] {
  const [topic, from, to, tokenId] = log.topics
  if (topic !== transferTopic || !from || !to) return []
  const about = {
    blockNum: log.blockNumber,
    hash: log.transactionHash,
    fromAddress: `0x${from.slice(26)}`,
    toAddress: `0x${to.slice(26)}`,
    erc1155Metadata: null,
    typeTraceAddress: null,
    log,
  } as const
  if (tokenId) {
    const rawContract = { rawValue: log.data, address: log.address, decimals: 0 }
    return [{ ...about, value: 1, asset: '', category: 'erc721', erc721TokenId: tokenId, rawContract }]
  }
  if (log.data.length !== wordDigits) return []
  const { decimals = 18, symbol = '' } = tokenOf(chainId, log.address) ?? {}
  return [
    {
      ...about,
      value: Number(formatUnits(BigInt(log.data), decimals)),
      asset: symbol,
      category: 'token',
      erc721TokenId: null,
      rawContract: { rawValue: log.data, address: log.address, decimals },
    },
  ]
}

function coinPaidByBridge(logs: readonly Log[]): { to: Address; amount: bigint }[] {
  return readBridgeLogs(logs).flatMap(({ eventName, args }) => {
    if (eventName === 'Filled' && args.token === zeroAddress) return [{ to: args.receiver, amount: args.amount }]
    if (eventName === 'Refunded' && args.token === zeroAddress) return [{ to: args.depositor, amount: args.amount }]
    if (eventName !== 'LiFiGenericSwapCompleted' || args.toAssetId !== zeroAddress) return []
    return [{ to: args.receiver, amount: args.toAmount }]
  })
}

const lower = (address: Address): Address => address.toLowerCase() as Address

const { relayers, ...others } = accounts
const { guards, ...contracts } = devnetContracts()

const devnetAddresses = new Set(
  [
    ...[...relayers, ...Object.values(others)].map(({ address }) => address),
    ...[...Object.values(guards), ...Object.values(contracts)].map(({ address }) => address),
    ...tokens.map(({ address }) => address),
    bridgeAddress,
    relayDepository,
    lifiFeeRecipient,
    deploymentProxy,
    zeroAddress,
  ].map(lower),
)

/** Whether an account or contract of the devnet itself received it, so it is not a deposit. */
export const isDevnetOwn = ({ toAddress }: Activity): boolean => devnetAddresses.has(toAddress)
