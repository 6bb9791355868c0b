import { encodePacked, keccak256, parseEventLogs } from 'viem'
import type { ChainId } from '../../domain/chain/chain'
import type { Hash, Hex } from '../../domain/chain/hex'
import { domainOf, finality, leavesFast, messageTransmitter, messageTransmitterAbi } from '../../protocols/cctp/burn'
import { type BurnMessage, messageOf, readMessage } from '../../protocols/cctp/message'
import { accounts, type DevAccount } from '../chains/accounts'
import type { DevChain } from '../chains/dev-chain'
import { devnetClock } from '../devnet-clock'
import { type Faults, faultKinds, ofProviders } from '../faults'
import type { Receipt } from '../rpc/rpc'
import { feeOf, fees } from './cctp-fees'

/**
 * Time until a burn is final on chains with early mints for a fee. On the real chains it takes a quarter of an hour.
 */
const finalMs = 3_000
const lateMs = 10_000
/** On the real chains a fast attestation is valid for about a day. */
const goodForBlocks = 40_000n

type Burned = {
  message: BurnMessage
  chainId: ChainId
  hash: Hash
  /** Time of its attestation, in milliseconds since 1970. */
  at: number
  /** The reason for a slower attestation than requested, in Circle's words. */
  delayReason: string | null
  isExpired: boolean
}

/** A message as Circle's API returns it. */
type AttestationAnswer = {
  message: Hex
  attestation: string
  eventNonce: string
  cctpVersion: 2
  status: 'complete' | 'pending_confirmations'
  delayReason: string | null
}

/**
 * Attests the burns of the devnet as Circle does: it fills in the nonce, the fee and the expiration block, and signs
 * the whole.
 */
export class CctpAttester {
  private readonly byTransaction = new Map<Hash, Burned[]>()
  private readonly byNonce = new Map<Hash, Burned>()

  constructor(
    private readonly chains: ReadonlyMap<ChainId, DevChain>,
    private readonly faults: Faults,
  ) {
    for (const chain of chains.values())
      chain.watch.onBlock(({ receipts }) => {
        for (const receipt of receipts) this.read(chain.id, receipt)
      })
    faults.onRemove((target) => target === 'cctp' && this.release())
  }

  /** The messages of a transaction; null if there is none, or if a reorganization has removed it. */
  async messagesOf(domain: number, hash: Hash): Promise<AttestationAnswer[] | null> {
    const burned = this.byTransaction.get(hash)?.filter(({ message }) => message.sourceDomain === domain) ?? []
    const [first] = burned
    if (!first || !(await this.chains.get(first.chainId)!.rpc.ask('eth_getTransactionReceipt', hash))) return null
    return Promise.all(burned.map((each) => this.said(each)))
  }

  /** Re-attests a fast message as a final one, which never expires. @returns whether there is this message. */
  reattest(nonce: Hash): boolean {
    const burned = this.byNonce.get(nonce)
    if (!burned) return false
    burned.message = { ...burned.message, expirationBlock: 0n, finalityThresholdExecuted: finality.standard }
    burned.isExpired = false
    return true
  }

  /** Attests late messages immediately. */
  private release(): void {
    for (const burned of this.byNonce.values()) burned.at = Math.min(burned.at, devnetClock())
  }

  private read(chainId: ChainId, { logs, transactionHash }: Receipt): void {
    const own = logs.filter(({ address }) => address.toLowerCase() === messageTransmitter.toLowerCase())
    const sent = parseEventLogs({ abi: messageTransmitterAbi, eventName: 'MessageSent', logs: own as never })
    const burned = sent.flatMap(({ args, logIndex }) => {
      const message = readMessage(args.message)
      return message ? [this.burnedOf({ ...message, nonce: nonceOf(chainId, transactionHash, logIndex) }, chainId)] : []
    })
    if (burned.length === 0) return
    const named = burned.map((each) => ({ ...each, hash: transactionHash }))
    this.byTransaction.set(transactionHash, named)
    for (const each of named) this.byNonce.set(each.message.nonce, each)
  }

  private burnedOf(message: BurnMessage, chainId: ChainId): Omit<Burned, 'hash'> {
    const fault = this.faults.take('cctp', requestFaults)
    const isFast = leavesFast(chainId) && message.minFinalityThreshold <= finality.fast
    const fee = feeOf(message.amount, fees(message.sourceDomain).fast)
    const delayReason = isFast
      ? (delays[fault?.fault ?? ''] ?? (fee > message.maxFee ? delays['FEE_ABOVE']! : null))
      : null
    const isEarly = isFast && delayReason === null
    const waitMs =
      (isEarly || !leavesFast(chainId) ? 0 : finalMs) + (fault?.fault === 'LATE' ? (fault.ms ?? lateMs) : 0)
    return {
      message: {
        ...message,
        finalityThresholdExecuted: isEarly ? finality.fast : finality.standard,
        feeExecuted: isEarly ? fee : 0n,
      },
      chainId,
      at: devnetClock() + waitMs,
      delayReason,
      isExpired: isEarly && fault?.fault === 'EXPIRED',
    }
  }

  private async said(burned: Burned): Promise<AttestationAnswer> {
    const { at, delayReason } = burned
    const about = { eventNonce: burned.message.nonce, cctpVersion: 2, delayReason } as const
    if (at > devnetClock()) return { ...about, message: '0x', attestation: 'PENDING', status: 'pending_confirmations' }
    await this.setExpiry(burned)
    const message = messageOf(burned.message)
    const isWrong = this.faults.take('cctp', wrongIgnores) !== null
    const attestation = await signed(message, isWrong ? accounts.faucet : accounts.cctpAttester)
    return { ...about, message, attestation, status: 'complete' }
  }

  /** A fast message expires at a block of its destination; an expired one did so in the first block. */
  private async setExpiry(burned: Burned): Promise<void> {
    const { message, isExpired } = burned
    if (message.finalityThresholdExecuted >= finality.standard || message.expirationBlock > 0n) return
    const destination = [...this.chains.values()].find(({ id }) => domainOf(id) === message.destinationDomain)
    const head = destination ? BigInt(await destination.rpc.ask<Hex>('eth_blockNumber')) : 0n
    if (burned.message === message)
      burned.message = { ...message, expirationBlock: isExpired ? 1n : head + goodForBlocks }
  }
}

const delays: Record<string, string> = {
  FEE_ABOVE: 'insufficient_fee',
  NO_ALLOWANCE: 'insufficient_allowance_available',
}
/**
 * Faults of requests, which no burn uses up. `wrongIgnores` are all faults except a wrong attestation, which only a
 * response uses up.
 */
const requestFaults = [...ofProviders, 'WRONG']
const wrongIgnores = faultKinds.cctp.filter((kind) => kind !== 'WRONG')

/** Circle chooses a message's nonce. Here it follows from its place, so it stays the same after a reorganization. */
const nonceOf = (chainId: ChainId, hash: Hash, logIndex: number): Hash =>
  keccak256(encodePacked(['uint256', 'bytes32', 'uint256'], [BigInt(chainId), hash, BigInt(logIndex)]))

/** A signature of the hash of a message, without the prefix that wallets put before one. */
async function signed(message: Hex, attester: DevAccount): Promise<Hex> {
  return attester.sign({ hash: keccak256(message) })
}
