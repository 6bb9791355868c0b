import { expect } from 'bun:test'
import { detailsText } from '../../src/dashboard/pages/audit/audit-details'
import { testAll } from '../support/test-all'

testAll([
  [{ targetChainId: 42161 }, 'Target chain: Arbitrum'],
  [{ targetChainId: { from: 42161, to: 8453 } }, 'Target chain: Arbitrum → Base'],
  [{ protocolFeeBps: { from: 50, to: 12.5 } }, 'Protocol fee: 0.5 % → 0.125 %'],
  [
    { acceptsUnstatedVerification: { from: false, to: true }, groups: { from: [], to: ['/a', '/b'] } },
    'Accepts unstated verification: no → yes, Groups: none → /a, /b',
  ],
  [{ label: 'checkout', role: 'CLIENT', sponsoredGas: false }, 'Label: checkout, Role: CLIENT, Gas: deducted'],
  [{ from: 'member', to: 'admin' }, 'member → admin'],
  [{ targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115', apiKeyId: null }, 'Recipient: 0x1dE3D7…9D5115'],
  [
    { verb: 'retry', filter: { status: 'FAILED' }, matched: 1_200 },
    'Verb: retry, Filter: Status: FAILED, Matched: 1,200',
  ],
  [{ fromChainKey: 'base', amountIn: '25000000' }, 'Chain: Base, Atomic units: 25000000'],
  [{ until: null }, ''],
  [
    { since: Date.UTC(2026, 10, 26, 17), until: Date.UTC(2026, 10, 27, 17), onlyFailed: false },
    'Since: 26 Nov 2026, 17:00:00 UTC, Until: 27 Nov 2026, 17:00:00 UTC, Only failed: no',
  ],
  [{ overlapSeconds: 0 }, 'Overlap: none'],
  [{ at: '2026-11-27T17:00:00.000Z', fromBlock: 38_294_117 }, 'At: 27 Nov 2026, 17:00:00 UTC, From block: 38,294,117'],
  [{ url: 'https://example.com/hooks', overlapSeconds: 86_400 }, 'URL: https://example.com/hooks, Overlap: 24 h'],
])('the fields of an audit entry are described in words', (details, said) => {
  expect(detailsText(details)).toBe(said)
})
