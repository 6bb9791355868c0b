import { isMint } from '../../../src/domain/execution/mint'
import { chainWith } from './bug-tools'
import type { Bug } from './view'

/** Planted bugs of burns and mints. */
export const bugsOfMints: Record<string, Bug> = {
  'a mint is sent before it is stored': (view) => ({
    relayers: {
      ...view.relayers,
      transaction: async (id, nonce, order, ...more) => {
        const signed = await view.relayers.transaction(id, nonce, order, ...more)
        if (isMint(order)) await view.chains[42161].send(signed.bytes)
        return signed
      },
    },
  }),
  'a mint by somebody else is not found': (view) => chainWith(view, () => ({ mintedBy: async () => null }), 42161),
  'an expired attestation is sent as it is': (view) =>
    chainWith(
      view,
      (chain) => ({
        estimateMint: async (mint) => {
          const estimated = await chain.estimateMint(mint)
          return estimated === 'EXPIRED' ? 150_000n : estimated
        },
      }),
      42161,
    ),
  'a burn is left for others to mint': ({ aggregators }) => ({
    aggregators: aggregators.map((one) => ({
      ...one,
      outcome: async (...asked) => {
        const outcome = await one.outcome(...asked)
        return outcome.kind === 'ATTESTED' ? ({ kind: 'PENDING' } as const) : outcome
      },
    })),
  }),
  'a mint counts as delivered once it is sent': () => ({
    steps: ({ confirmDelivery }) => ({
      confirmDelivery: async (execution, store) => {
        const outcome = await confirmDelivery(execution, store)
        const { mint } = outcome.facts ?? {}
        const { intent, route } = execution.facts
        if ('type' in outcome || !mint?.transactions.length) return outcome
        const { targetChainId: chainId, targetTokenAddress: tokenThere } = intent!
        const { hash } = mint.transactions.at(-1)!
        const delivery = { hash, chainId, token: tokenThere, amountRaw: route!.amountOutExpected, block: 0 }
        return { type: 'funds delivered', facts: { mint, delivery } }
      },
    }),
  }),
}
