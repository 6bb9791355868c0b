import { parseTransaction, recoverTransactionAddress, type TransactionSerialized, toFunctionSelector } from 'viem'
import { accounts } from '../chains/accounts'

/** The false responses of an untrustworthy node, by the name of the fault. */
const falseAnswerKinds = ['WRONG_CHAIN', 'STALE', 'LYING', 'LYING_LOW', 'DELEGATED'] as const
export type FalseAnswer = (typeof falseAnswerKinds)[number]
export const isFalseAnswer = (fault: string): fault is FalseAnswer => falseAnswerKinds.includes(fault as FalseAnswer)

type Call = { id: unknown; method: string; params?: unknown[] }
type Answer = { id: unknown; result?: unknown; error?: unknown }

const otherChainId = '0x539'
const balanceOfSelector = toFunctionSelector('balanceOf(address)')
const falseFactor = 10n
const delegation = `0xef0100${'11'.repeat(20)}`

/** @param askNode Sends calls to the real node. @param staleBlock The newest block that a stale node has. */
export async function falseAnswer(
  lie: FalseAnswer,
  body: string,
  askNode: (calls: Call[]) => Promise<Answer[]>,
  staleBlock: number,
): Promise<string> {
  const parsed = JSON.parse(body) as Call | Call[]
  const calls = Array.isArray(parsed) ? parsed : [parsed]
  const [first] = calls
  // A client sends a transaction outside of batches.
  if (lie === 'DELEGATED' && first?.method === 'eth_sendRawTransaction' && (await isBehindAnother(first, askNode)))
    return JSON.stringify({ jsonrpc: '2.0', id: first.id, error: limitReached })
  const answers = await askNode(lie === 'STALE' ? calls.map((call) => atBlock(call, staleBlock)) : calls)
  const changed = calls.map((call) => {
    const answer = answers.find(({ id }) => id === call.id) ?? { id: call.id, result: null }
    return answer.result === undefined
      ? answer
      : { ...answer, result: falseResult(lie, call, answer.result, staleBlock) }
  })
  return JSON.stringify(Array.isArray(parsed) ? changed : changed[0])
}

const limitReached = { code: -32_000, message: 'in-flight transaction limit reached for delegated accounts' }

/** Whether an earlier transaction of the key is not mined yet. */
async function isBehindAnother({ params = [] }: Call, askNode: (calls: Call[]) => Promise<Answer[]>): Promise<boolean> {
  const serializedTransaction = params[0] as TransactionSerialized
  const from = await recoverTransactionAddress({ serializedTransaction })
  const [answer] = await askNode([{ id: 1, method: 'eth_getTransactionCount', params: [from, 'latest'] }])
  return (parseTransaction(serializedTransaction).nonce ?? 0) > Number(answer?.result)
}

const isRelayer = (address: unknown): boolean =>
  accounts.relayers.some((relayer) => relayer.address.toLowerCase() === String(address).toLowerCase())

const hex = (n: number): string => `0x${n.toString(16)}`

/** Replaces the newest block in a call by the newest block that a stale node has. */
const atBlock = ({ params = [], ...call }: Call, staleBlock: number): Call => ({
  ...call,
  params: params.map((param) => (param === 'latest' || param === 'pending' ? hex(staleBlock) : param)),
})

function falseResult(lie: FalseAnswer, { method, params = [] }: Call, result: unknown, staleBlock: number): unknown {
  if (lie === 'DELEGATED') return method === 'eth_getCode' && isRelayer(params[0]) ? delegation : result
  if (lie === 'WRONG_CHAIN') return method === 'eth_chainId' ? otherChainId : result
  if (lie === 'STALE') {
    if (method === 'eth_blockNumber') return hex(staleBlock)
    const { number, blockNumber } = (result ?? {}) as { number?: string; blockNumber?: string }
    const block = number ?? blockNumber
    return typeof block === 'string' && Number(block) > staleBlock ? null : result
  }
  const { data, input } = (params[0] ?? {}) as { data?: string; input?: string }
  const isBalance = method === 'eth_getBalance' || (data ?? input ?? '').startsWith(balanceOfSelector)
  if (!isBalance || typeof result !== 'string') return result
  const balance = lie === 'LYING' ? BigInt(result) * falseFactor : BigInt(result) / falseFactor
  return method === 'eth_call' ? `0x${balance.toString(16).padStart(64, '0')}` : `0x${balance.toString(16)}`
}
