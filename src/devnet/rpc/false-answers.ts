import { toFunctionSelector } from 'viem/utils'

/** How a node that cannot be trusted answers, by the fault's name. */
export const falseAnswerKinds = ['WRONG_CHAIN', 'STALE', 'LYING', 'LYING_LOW'] as const
export type FalseAnswer = (typeof falseAnswerKinds)[number]
export const isFalseAnswer = (fault: string): fault is FalseAnswer => falseAnswerKinds.includes(fault as FalseAnswer)

type Call = { id: unknown; method: string; params?: unknown[] }
type Answer = { id: unknown; result?: unknown; error?: unknown }

const elsewhere = '0x539'
const balanceOfSelector = toFunctionSelector('balanceOf(address)')
const lyingFactor = 10n

/** @param askNode puts calls to the real node. @param stoodAt the block at which a stale node stands still. */
export async function falseAnswer(
  lie: FalseAnswer,
  body: string,
  askNode: (calls: Call[]) => Promise<Answer[]>,
  stoodAt: number,
): Promise<string> {
  const asked = JSON.parse(body) as Call | Call[]
  const calls = Array.isArray(asked) ? asked : [asked]
  const answers = await askNode(lie === 'STALE' ? calls.map((call) => standing(call, stoodAt)) : calls)
  const lied = calls.map((call) => {
    const answer = answers.find(({ id }) => id === call.id) ?? { id: call.id, result: null }
    return answer.result === undefined ? answer : { ...answer, result: said(lie, call, answer.result, stoodAt) }
  })
  return JSON.stringify(Array.isArray(asked) ? lied : lied[0])
}

const hex = (n: number): string => `0x${n.toString(16)}`

/** What it knows of now is what it knew then. */
const standing = ({ params = [], ...call }: Call, stoodAt: number): Call => ({
  ...call,
  params: params.map((param) => (param === 'latest' || param === 'pending' ? hex(stoodAt) : param)),
})

function said(lie: FalseAnswer, { method, params = [] }: Call, result: unknown, stoodAt: number): unknown {
  if (lie === 'WRONG_CHAIN') return method === 'eth_chainId' ? elsewhere : result
  if (lie === 'STALE') {
    if (method === 'eth_blockNumber') return hex(stoodAt)
    const { number, blockNumber } = (result ?? {}) as { number?: string; blockNumber?: string }
    const block = number ?? blockNumber
    return typeof block === 'string' && Number(block) > stoodAt ? null : result
  }
  const { data, input } = (params[0] ?? {}) as { data?: string; input?: string }
  const isBalance = method === 'eth_getBalance' || (data ?? input ?? '').startsWith(balanceOfSelector)
  if (!isBalance || typeof result !== 'string') return result
  const lied = lie === 'LYING' ? BigInt(result) * lyingFactor : BigInt(result) / lyingFactor
  return method === 'eth_call' ? `0x${lied.toString(16).padStart(64, '0')}` : `0x${lied.toString(16)}`
}
