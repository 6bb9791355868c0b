import type { ChainId } from '../domain/chain/chain'
import { sameAddress } from '../domain/chain/hex'
import { depositIdOfExecution, loggedDeposit } from '../domain/deposit/deposit-stage'
import type { Order } from '../domain/execution/route'
import type { Signable } from '../domain/execution/signable'
import { amountOf } from '../domain/money/amount'
import { roundingOf } from '../domain/money/rounding'
import { TemporarilyUnavailable } from '../domain/unavailable'
import type { ChainClient } from '../ports/chain-client'
import type { SigningEntry } from '../ports/signer'

type Signed = Extract<SigningEntry, { event: 'SIGNED' }>

/** A gas fee above this part of an order counts as heavy. It is the part that the policy leaves to a route. */
const heavyBps = 300n

export const isHeavy = ({ amountIn, gasFee }: Pick<Signed, 'amountIn' | 'gasFee'>): boolean =>
  amountOf(gasFee) * 10_000n > amountOf(amountIn) * heavyBps

/**
 * What the orders with a heavy gas fee are counted for: the deposit, with its re-drives, if it has a log on the chain.
 * The chain then bounds its amount. All other deposits of an account count together.
 */
export const heavyKeyOf = ({ executionId, account }: Pick<Signed, 'executionId' | 'account'>): string =>
  loggedDeposit(executionId) ? depositIdOfExecution(executionId) : account

/** Throws if an order with a heavy gas fee moves less than the deposit that it names, as the chain shows it. */
export type AssureWhole = (execution: Signable, order: Pick<Order, 'amountIn' | 'gasFee'>) => Promise<void>

const askAgainMs = 10_000

/**
 * Keeps a worker from splitting a deposit into small orders that gas fees consume. A deposit without a log has no
 * amount on the chain and passes, because `hourlyCaps` counts the orders of its account.
 *
 * @throws {TemporarilyUnavailable} while the signer's node shows no such transfer, or a larger one.
 */
export const assuringWhole =
  (chains: Record<ChainId, Pick<ChainClient, 'receipt' | 'transfersTo'>>): AssureWhole =>
  async ({ id, deposit }, order) => {
    const logged = loggedDeposit(id)
    if (!logged || !isHeavy(order)) return
    const { account, token, chainId } = deposit
    const wait = (why: string, cause?: unknown) =>
      new TemporarilyUnavailable('the signer', askAgainMs, 'NODE', { cause: new Error(why, { cause }) })
    const read = async () => {
      const receipt = await chains[chainId].receipt(logged.txHash)
      return receipt ? chains[chainId].transfersTo([account], receipt.block, receipt.block) : []
    }
    const transfers = await read().catch((cause) => {
      throw wait('The deposit of an order with a heavy gas fee cannot be read', cause)
    })
    const brought = transfers.find(
      ({ txHash, logIndex, token: of }) =>
        txHash === logged.txHash && logIndex === logged.logIndex && sameAddress(of, token),
    )
    if (!brought || logged.chainId !== chainId)
      throw wait('The deposit of an order with a heavy gas fee is not on chain')
    const isRedrive = depositIdOfExecution(id) !== id // which moves what is left of its deposit
    if (!isRedrive && amountOf(order.amountIn) < brought.amountRaw - roundingOf(brought.amountRaw))
      throw wait('An order with a heavy gas fee moves less than its deposit')
  }
