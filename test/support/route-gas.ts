import type { GasRecord } from '../../src/domain/money/gas'
import type { RouteGas } from '../../src/gas/route-gas'
import { sharedGasBooks } from '../../src/gas/shared-gas-books'
import { recordsInMemory } from './records'

/** Has no gas estimates, and charges the measured gas. */
export const unknownGas: RouteGas = {
  mayAsk: async () => true,
  amounts: async () => new Map(),
  noteMint: async () => null,
  charged: (_execution, measuredRaw) => measuredRaw,
  note: async (_execution, gas, costWei) => ({
    measured: { kind: null, gas, costWei, extraWei: 0n },
    book: { id: 'none', version: 0, prices: [], kinds: [] },
  }),
}

export const gasBooksInMemory = (now: () => number) => sharedGasBooks({ books: recordsInMemory<GasRecord>(), now })
