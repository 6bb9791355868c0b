import { parseEventLogs } from 'viem'
import { devBridgeAbi } from '../../../contracts/artifacts/abi'
import type { ChainId } from '../../domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../domain/chain/hex'
import { bridgeAddress } from '../chains/contracts'
import type { DevChain } from '../chains/dev-chain'
import { devnetWrappedNativeOf } from '../chains/tokens'
import type { Log } from '../rpc/rpc'

type BridgeLog = ReturnType<typeof readBridgeLogs>[number]
type BridgeEvent<Name extends BridgeLog['eventName']> = Extract<BridgeLog, { eventName: Name }>

type Lock = BridgeEvent<'Locked'>['args']['lock']
export type Locked = { lockId: Hex; fromChainId: ChainId; txHash: Hex; lock: Lock }
type Settled = { kind: 'FILLED' | 'REFUNDED'; chainId: ChainId; txHash: Hex; token: Address; amount: bigint }

/** The token that a lock promises. Wallets receive the native coin instead of the wrapped coin. */
export const promisedToken = ({ toChainId, outputToken }: Lock): Address =>
  outputToken === devnetWrappedNativeOf(Number(toChainId) as ChainId).address ? zeroAddress : outputToken

export const readBridgeLogs = (logs: readonly Log[]) =>
  parseEventLogs({
    abi: devBridgeAbi,
    logs: logs.filter(({ address }) => address.toLowerCase() === bridgeAddress.toLowerCase()) as never,
    eventName: ['Locked', 'Filled', 'Refunded', 'LiFiGenericSwapCompleted'],
  })

/** Stores the events of the bridge contracts, by lock and by transaction. */
export class BridgeLedger {
  readonly locks = new Map<Hex, Locked>()
  readonly ended = new Map<Hex, Settled>()
  private readonly byTransaction = new Map<Hex, Hex>()
  private readonly byTransfer = new Map<Hex, Hex>()
  private readonly listeners: ((locked: Locked) => void)[] = []

  onLock(listener: (locked: Locked) => void): void {
    this.listeners.push(listener)
  }

  /**
   * By LI.FI's own id of a transfer, or by its transaction. If a transaction has several transfers, the last one
   * counts.
   */
  lockOf(id: Hex): Locked | undefined {
    const lockId = this.byTransfer.get(id) ?? this.byTransaction.get(id)
    return lockId && this.locks.get(lockId)
  }

  follow(chain: DevChain): void {
    chain.watch.onBlock(({ receipts }) => {
      for (const { logs } of receipts) this.read(chain.id, logs)
    })
  }

  swapOf(logs: readonly Log[]): BridgeEvent<'LiFiGenericSwapCompleted'>['args'] | undefined {
    for (const log of readBridgeLogs(logs)) if (log.eventName === 'LiFiGenericSwapCompleted') return log.args
  }

  private read(chainId: ChainId, logs: readonly Log[]): void {
    for (const { eventName, args, transactionHash } of readBridgeLogs(logs)) {
      if (eventName === 'Locked') {
        const locked = { lockId: args.lockId, fromChainId: chainId, txHash: transactionHash, lock: args.lock }
        this.locks.set(args.lockId, locked)
        this.byTransaction.set(transactionHash, args.lockId)
        this.byTransfer.set(args.lock.transactionId, args.lockId)
        for (const listener of this.listeners) listener(locked)
      } else if (eventName !== 'LiFiGenericSwapCompleted') {
        const kind = eventName === 'Filled' ? 'FILLED' : 'REFUNDED'
        const { token, amount } = args
        this.ended.set(args.lockId, { kind, chainId, txHash: transactionHash, token, amount })
      }
    }
  }
}
