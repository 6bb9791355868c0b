import fc from 'fast-check'
import { target } from '../world'
import { anything, change, text } from './values'

const wholes: [path: RegExp, bodies: object[]][] = [
  [
    /deposit-intents$/,
    [
      { userId: 'user-1', ...target },
      { userId: 'user-2', ...target, targetChainId: 8453 },
    ],
  ],
  [/accounts$/, [{ ownerAddress: 'user-3', chainKey: 'base', label: 'Alice' }]],
  [
    /simulate-deposit$/,
    [
      {
        userId: 'user-1',
        fromChainId: 8453,
        fromTokenSymbol: 'USDC',
        amountInAtomic: '25000000',
        overrideTargetChainId: 1,
        overrideTargetTokenAddress: target.targetTokenAddress,
        overrideTargetAddress: target.targetAddress,
      },
    ],
  ],
  [/scans$/, [{ chainId: 8453, fromBlock: 1, toBlock: 2, reason: 'because of the fuzz' }]],
  [/jobs$/, [{ verb: 'retry', filter: {}, reason: 'because of the fuzz' }]],
  [/./, [{ reason: 'because of the fuzz', intent: 'CURRENT', until: null }]],
]

/** The body that an endpoint expects with one or two changes, or any other body. */
export const bodyFor = (path: string) => {
  const whole = fc.constantFrom<object>(...wholes.find(([form]) => form.test(path))![1])
  const changed = fc
    .tuple(whole, fc.array(change, { minLength: 1, maxLength: 2 }))
    .map(([body, changes]): unknown => ({ ...body, ...Object.fromEntries(changes) }))
  return fc.oneof(
    { weight: 5, arbitrary: whole as fc.Arbitrary<unknown> },
    { weight: 5, arbitrary: changed },
    { weight: 1, arbitrary: anything },
  )
}
export const malformed = fc.oneof(
  text,
  fc.constantFrom('{', '{"a":', '[', '\u0000', '['.repeat(2_000), '{"a":'.repeat(500), '"', '1e', 'nul'),
)
