import type { Hex } from 'viem'
import type { ChainId } from '../../domain/chain/chain'
import { lifiCodes } from '../../protocols/lifi/lifi-answers'
import { type BridgeLedger, type Locked, promisedToken } from '../bridge/bridge-ledger'
import type { DevChain } from '../chains/dev-chain'
import { usd } from '../chains/prices'
import { tokenOf } from '../chains/tokens'
import type { Receipt } from '../rpc/rpc'
import { lifiError, rateLimit } from './lifi-error'
import { lifiChain, lifiToken } from './lifi-token'

type Chains = ReadonlyMap<ChainId, DevChain>

/** The outcome of a transfer in LI.FI's form, read from the chains at each request. */
export async function status(query: URLSearchParams, chains: Chains, ledger: BridgeLedger): Promise<Response> {
  const requested = query.get('txHash')?.toLowerCase() as Hex | undefined
  if (!requested || !/^0x[0-9a-f]{64}$/.test(requested)) return lifiError(400, lifiCodes.VALIDATION, 'Invalid txHash')
  const locked = ledger.lockOf(requested)
  const txHash = locked?.txHash ?? requested
  const named = lifiChain(query.get('fromChain'))
  const match = await receiptFrom(txHash, named ? [chains.get(named)!] : [...chains.values()])
  if (!match) return answer({ status: 'NOT_FOUND', substatusMessage: 'The transaction was not found' })
  const { chain, receipt } = match
  const sent = { txHash, txLink: '', chainId: chain.id }
  if (receipt.status !== '0x1') {
    const substatusMessage = 'The source transaction reverted'
    return answer({ status: 'FAILED', substatus: 'UNKNOWN_FAILED_ERROR', substatusMessage, sending: sent })
  }
  if (locked) return answer(await bridged(locked, sending(chain, receipt, locked.lock), chains, ledger))
  const swap = ledger.swapOf(receipt.logs)
  if (!swap) {
    const substatusMessage = 'The transaction hash does not belong to a transfer'
    return answer({ status: 'INVALID', substatusMessage, sending: sent })
  }
  const from = sending(chain, receipt, { inputToken: swap.fromAssetId, inputAmount: swap.fromAmount })
  const to = side(chain.id, txHash, swap.toAssetId, swap.toAmount)
  return answer({ ...done(from, to), transactionId: swap.transactionId, toAddress: swap.receiver, tool: 'devswap' })
}

const answer = (body: unknown): Response => Response.json(body, { headers: rateLimit })

async function receiptFrom(hash: Hex, chains: DevChain[]): Promise<{ chain: DevChain; receipt: Receipt } | null> {
  const receipts = await Promise.all(
    chains.map(({ rpc }) => rpc.ask<Receipt | null>('eth_getTransactionReceipt', hash)),
  )
  const index = receipts.findIndex((receipt) => receipt !== null)
  return index < 0 ? null : { chain: chains[index]!, receipt: receipts[index]! }
}

async function bridged(locked: Locked, from: Side, chains: Chains, ledger: BridgeLedger) {
  const { lock } = locked
  const about = {
    transactionId: lock.transactionId,
    fromAddress: lock.depositor,
    toAddress: lock.receiver,
    tool: lock.tool,
    lifiExplorerLink: '',
    feeCosts: [],
    metadata: { integrator: 'switchyard' },
  }
  const ended = ledger.ended.get(locked.lockId)
  const stands = ended && (await chains.get(ended.chainId)!.rpc.ask('eth_getTransactionReceipt', ended.txHash))
  if (!ended || !stands) {
    return {
      ...about,
      sending: from,
      receiving: { chainId: Number(lock.toChainId) },
      status: 'PENDING',
      substatus: 'WAIT_DESTINATION_TRANSACTION',
      substatusMessage: 'The bridge off-chain logic is being executed.',
    }
  }
  const to = side(ended.chainId, ended.txHash, ended.token, ended.amount)
  if (ended.kind === 'REFUNDED') {
    const substatusMessage = 'The tokens were refunded to the sender.'
    return { ...about, sending: from, receiving: to, status: 'DONE', substatus: 'REFUNDED', substatusMessage }
  }
  if (ended.token.toLowerCase() !== promisedToken(lock).toLowerCase()) {
    const substatusMessage = 'The recipient received a different token.'
    return { ...about, sending: from, receiving: to, status: 'DONE', substatus: 'PARTIAL', substatusMessage }
  }
  return { ...about, ...done(from, to) }
}

type Side = ReturnType<typeof side>

function side(chainId: ChainId, txHash: Hex, address: Hex, amount: bigint) {
  const token = tokenOf(chainId, address)!
  return { txHash, txLink: '', chainId, amount: `${amount}`, token: lifiToken(token), amountUSD: usd(amount, token) }
}

function sending({ id }: DevChain, receipt: Receipt, paid: { inputToken: Hex; inputAmount: bigint }) {
  const gasToken = tokenOf(id, 'native')!
  const gasAmount = BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice)
  return {
    ...side(id, receipt.transactionHash, paid.inputToken, paid.inputAmount),
    gasPrice: `${BigInt(receipt.effectiveGasPrice)}`,
    gasUsed: `${BigInt(receipt.gasUsed)}`,
    gasToken: lifiToken(gasToken),
    gasAmount: `${gasAmount}`,
    gasAmountUSD: usd(gasAmount, gasToken),
  }
}

const done = (from: Side, to: Side) => ({
  sending: from,
  receiving: to,
  status: 'DONE',
  substatus: 'COMPLETED',
  substatusMessage: 'The transfer is complete.',
})
