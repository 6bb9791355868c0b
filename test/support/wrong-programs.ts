/** A change that makes the program wrong. The tests named with it must fail on it. */
export type WrongProgram = { does: string; edit: [path: string, right: string, wrong: string]; tests: string }

/** Wrong programs that once survived every test. Each moves, shows or charges money wrongly, or loses a deposit. */
export const wrongPrograms: readonly WrongProgram[] = [
  {
    does: 'counts a deposit as recorded before its execution is stored',
    edit: [
      'src/detection/intake/intake.ts',
      `  if (detectors?.has(detector)) return 'KNOWN'\n`,
      `  if (detectors?.has(detector)) return 'KNOWN'\n  recorded.set(id, new Set([...(detectors ?? []), detector]))\n`,
    ],
    tests: 'test/detection/failed-writes.test.ts',
  },
  {
    does: 'moves the cursor of a scan before the deposits are stored',
    edit: ['src/detection/chains/scan-blocks.ts', '      await take(ports, transfers)\n', ''],
    tests: 'test/detection/failed-writes.test.ts',
  },
  {
    does: 'counts a sighting as shown before it is stored',
    edit: [
      'src/detection/intake/intake.ts',
      `  let intakeResult: IntakeResult = 'KNOWN'\n`,
      `  let intakeResult: IntakeResult = 'KNOWN'\n  shown.set(id, shownAs)\n`,
    ],
    tests: 'test/detection/failed-writes.test.ts',
  },
  {
    does: 'charges the protocol fee again when refunded money is re-driven',
    edit: [
      'src/routing/operations/redrive.ts',
      'record.refundOf === null ? chosen : withDepartures(chosen, { protocolFeeBps: 0 })',
      'chosen',
    ],
    tests: 'test/routing/operations.test.ts',
  },
  {
    does: 'leaves the native fee of a bridge out of the gas fee',
    edit: [
      'src/routing/steps/price-fees.ts',
      `ownCostWei(gas) + amountOf(route!.call?.nativeFee ?? '0')`,
      'ownCostWei(gas)',
    ],
    tests: 'test/routing/price-fees.test.ts',
  },
  {
    does: 'uses the nonce of a settled slot again while a node lags',
    edit: [
      'src/domain/chain/relayer.ts',
      'const held = new Set(relayer.slots.map(',
      'const held = new Set(relayer.slots.filter(({ order }) => order !== null).map(',
    ],
    tests: 'test/domain/relayer.test.ts',
  },
  {
    does: 'forgets the transactions of earlier orders when a second order lapses',
    edit: ['machines/execution.ts', '[...(facts.dropped ?? []), ...sent]', '[...sent]'],
    tests: 'test/machines/execution.test.ts',
  },
  {
    does: 'keeps the receipt of a delivery that a reorganization moved',
    edit: ['src/adapters/evm/arrivals.ts', '    receipts.delete(hash)\n', ''],
    tests: 'test/adapters/evm/arrivals.test.ts',
  },
  {
    does: 'believes a provider that has reported DELIVERED for an hour, whatever the chain shows',
    edit: [
      'src/routing/delivery/claims.ts',
      '  if (!tokenArrival) return null\n  // A transfer from before',
      `  if (!tokenArrival && ports.now() - execution.facts.spent!.at > 3_600_000)
    return { type: 'funds delivered', facts: { delivery: { hash, chainId, token, amountRaw: '1', block: 0 } } }
  if (!tokenArrival) return null\n  // A transfer from before`,
    ],
    tests: 'test/routing/delivery-evidence.test.ts',
  },
  {
    does: 'reports leftovers as routed that no longer fit into the balance',
    edit: ['src/domain/execution/lane.ts', '    if (amountRaw - roundingOf(amountRaw) > left) continue\n', ''],
    tests: 'test/routing/residue.test.ts',
  },
  {
    does: 'reads a balance from before the money of the lane’s last holder left',
    edit: [
      'src/routing/steps/take-lane.ts',
      'Math.max(lane.clearFrom, (holder ? holder.facts.spent?.block : 0) ?? 0)',
      'lane.clearFrom',
    ],
    tests: 'test/routing/steps.test.ts',
  },
]
