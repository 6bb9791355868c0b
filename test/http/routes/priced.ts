import type { Route } from '../../../src/domain/execution/route'
import type { Preview } from '../../../src/ports/prices'

const route = { provider: 'lifi', amountOutExpected: '24831711' } as Route

/** A preview of a successful deposit. */
export const priced: Preview = async (deposit, intent, routeId) => ({
  ...deposit,
  facts: {
    intent,
    route,
    ...(routeId && { routeId }),
    fees: {
      totalReceivedRaw: '25000000',
      protocolFeeRaw: '125000',
      protocolFeeEffective: '125000',
      protocolFeeForgiven: '0',
      gasFeeRaw: '18432',
      amountForSwapRaw: '24856568',
      gasFeeSkipReason: 'NONE',
    },
  },
})
