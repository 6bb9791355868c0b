import { encodeFunctionData } from 'viem'
import { devBridgeAbi } from '../../../contracts/artifacts/abi'
import { type ChainId, isChainId } from '../../domain/chain/chain'
import { type Hex, zeroAddress } from '../../domain/chain/hex'
import { bridgeAddress } from '../chains/contracts'
import type { DevChain } from '../chains/dev-chain'
import { convert } from '../chains/prices'
import { type PricedToken, pricedTokens, tokenOf } from '../chains/tokens'
import type { Faults } from '../faults'
import type { Receipt } from '../rpc/rpc'
import { type BridgeLedger, type Locked, promisedToken } from './bridge-ledger'

const fillGas = 400_000n
const slowMs = 5000

type Plan = { kind: 'FILL' | 'REFUND' | 'PARTIAL' | 'HOLD'; delayMs: number }

/** Pays out on the destination chain the amount locked on the source chain, or refunds it. */
export class BridgeSolver {
  private readonly held = new Map<Hex, Locked>()
  private readonly busy = new Set<Hex>()

  constructor(
    private readonly chains: ReadonlyMap<ChainId, DevChain>,
    private readonly ledger: BridgeLedger,
    private readonly faults: Faults,
    private readonly report: (line: string) => void,
  ) {
    ledger.onLock((locked) => void this.solve(locked, this.planFor(locked)))
    faults.onRemove((target) => target === 'bridge' && this.release())
  }

  /** Fills every lock that is held back. */
  release(): void {
    for (const [lockId, locked] of this.held) {
      this.held.delete(lockId)
      void this.solve(locked, { kind: 'FILL', delayMs: 0 })
    }
  }

  private planFor({ lock, fromChainId }: Locked): Plan {
    const symbol = tokenOf(fromChainId, lock.inputToken)?.symbol
    if (symbol === 'SY-HOLD') return { kind: 'HOLD', delayMs: 0 }
    if (symbol === 'SY-PARTIAL') return { kind: 'PARTIAL', delayMs: 0 }
    if (symbol === 'SY-REFUND' || isLoss({ lock, fromChainId })) return { kind: 'REFUND', delayMs: 0 }
    const fault = this.faults.take('bridge')
    if (fault?.fault === 'DOWN') return { kind: 'HOLD', delayMs: 0 }
    if (fault?.fault === 'SLOW') return { kind: 'FILL', delayMs: fault.ms ?? slowMs }
    return { kind: fault ? (fault.fault as 'REFUND' | 'PARTIAL') : 'FILL', delayMs: fault?.ms ?? 0 }
  }

  private async solve(locked: Locked, plan: Plan): Promise<void> {
    const { lockId } = locked
    if (this.busy.has(lockId) || this.ledger.ended.has(lockId)) return
    if (plan.kind === 'HOLD') {
      this.held.set(lockId, locked)
      return
    }
    this.busy.add(lockId)
    try {
      if (plan.delayMs > 0) await Bun.sleep(plan.delayMs)
      if (plan.kind === 'REFUND' || !(await this.fill(locked, plan.kind === 'PARTIAL'))) await this.refund(locked)
    } catch (error) {
      this.report(`bridge: ${lockId} was not paid out: ${(error as Error).message.split('\n')[0]}`)
    } finally {
      this.busy.delete(lockId)
    }
  }

  /** Pays out a lock. @returns false if the destination chain refused it and nothing was paid. */
  private async fill({ lockId, fromChainId, lock }: Locked, partial: boolean): Promise<boolean> {
    const toChainId = Number(lock.toChainId)
    if (!isChainId(toChainId)) return false
    const { token, amount } = partial
      ? otherToken(toChainId, lock)
      : { token: promisedToken(lock), amount: lock.outputAmount }
    const args = [BigInt(fromChainId), lock, token, amount] as const
    const data = encodeFunctionData({ abi: devBridgeAbi, functionName: 'fill', args })
    const { status } = await this.send(toChainId, data)
    return status === '0x1' || this.isFilled(toChainId, lockId)
  }

  private async isFilled(chainId: ChainId, lockId: Hex): Promise<boolean> {
    const data = encodeFunctionData({ abi: devBridgeAbi, functionName: 'filled', args: [lockId] })
    return BigInt(await this.chains.get(chainId)!.rpc.ask('eth_call', { to: bridgeAddress, data }, 'latest')) === 1n
  }

  private async refund({ fromChainId, lock }: Locked): Promise<void> {
    const data = encodeFunctionData({ abi: devBridgeAbi, functionName: 'refund', args: [lock] })
    const { status } = await this.send(fromChainId, data)
    if (status !== '0x1') throw new Error('the refund reverted')
  }

  /** Repeats the payments in blocks that a reorganization removed. */
  async payAgain(chainId: ChainId): Promise<void> {
    const { rpc } = this.chains.get(chainId)!
    for (const [lockId, ended] of this.ledger.ended) {
      if (ended.chainId !== chainId || (await rpc.ask('eth_getTransactionReceipt', ended.txHash))) continue
      this.ledger.ended.delete(lockId)
      const kind = ended.kind === 'FILLED' ? 'FILL' : 'REFUND'
      void this.solve(this.ledger.locks.get(lockId)!, { kind, delayMs: 0 })
    }
  }

  private async send(chainId: ChainId, data: Hex): Promise<Receipt> {
    const chain = this.chains.get(chainId)!
    return chain.receiptOf(await chain.solver.send({ to: bridgeAddress, data, gas: fillGas }))
  }
}

/** Whether a fill would cost at least 1 % more than it brings. On the real Across, no relayer would fill it. */
function isLoss({ lock, fromChainId }: Pick<Locked, 'lock' | 'fromChainId'>): boolean {
  const toChainId = Number(lock.toChainId)
  const sold = tokenOf(fromChainId, lock.inputToken)
  const bought = isChainId(toChainId) && tokenOf(toChainId, promisedToken(lock))
  if (!sold || !bought) return false
  return lock.outputAmount * 99n > convert(lock.inputAmount, sold, bought) * 100n
}

/** Another token with the same value, which LI.FI calls PARTIAL. */
function otherToken(chainId: ChainId, lock: Locked['lock']): { token: PricedToken['address']; amount: bigint } {
  const promised = tokenOf(chainId, promisedToken(lock))!
  const other = pricedTokens.find(
    (each) => each.chainId === chainId && each.address !== zeroAddress && each.symbol !== promised.symbol,
  )!
  return { token: other.address, amount: convert(lock.outputAmount, promised, other) }
}
