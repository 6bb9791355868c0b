import { expect, test } from 'bun:test'
import { RoutingError } from '../../src/domain/error'
import { depositIdOf } from '../../src/domain/execution/execution'
import type { Records } from '../../src/ports/records'
import { base, detectionWorld, usdc } from '../support/detection'

type How = 'refused' | 'unanswered'
type Write = { nth: number; how: How }

/** Makes one of the writes fail, before or after it is stored. Counts the writes of all stores together. */
function failing(one: Write | null) {
  let writes = 0
  return {
    writes: () => writes,
    of: <R extends { id: string; version: number }, Store extends Records<R>>(store: Store): Store => ({
      ...store,
      async save(record: R) {
        const isThis = ++writes === one?.nth
        if (isThis && one.how === 'refused') throw new RoutingError('UNEXPECTED')
        const saved = await store.save(record)
        if (isThis) throw new RoutingError('UNEXPECTED')
        return saved
      },
    }),
  }
}

/**
 * A process that was down catches up over more blocks than the overlap, and one of its writes fails. The same process
 * scans again with its memory, or another one does.
 */
async function caughtUp(write: Write | null, isSame: boolean) {
  const world = detectionWorld()
  const { accounts, chain, executions, sightings, cursors } = world
  const account = accounts.create()
  await world.scan()
  const mine = (amountRaw: bigint) => chain.mine({ paid: [{ token: usdc, to: account, amountRaw }] })[0]!
  const confirmed = [mine(25n), mine(26n)]
  chain.mineEmpty(40)
  const fresh = mine(27n)
  const unfailing = { executions, sightings: { ...sightings, confirming: async () => [] }, cursors }
  const fault = failing(write)
  const process = (isFailing: boolean) =>
    isFailing
      ? world.another({
          executions: fault.of(executions),
          sightings: fault.of(unfailing.sightings),
          cursors: fault.of(cursors),
        })
      : world.another(unfailing)
  const scanner = process(true)
  const scan = ({ watch }: typeof scanner) => watch.scanOnce(new AbortController().signal).catch(() => {})
  await scan(scanner)
  const scannedTo = cursors.all()[0]!.scannedBlock
  const isStored = confirmed.every((hash) => executions.get(depositIdOf(base, hash, 0)))
  await scan(isSame ? scanner : process(false))
  return {
    isCursorAhead: scannedTo > 0 && !isStored,
    deposits: executions.all().map(({ deposit }) => deposit.amountRaw),
    isFreshShown: sightings.get(depositIdOf(base, fresh, 0))?.stage === 'CONFIRMING',
    writes: fault.writes(),
  }
}

test('every deposit is recorded once and shown by the next scan if any write fails while catching up', async () => {
  const { writes } = await caughtUp(null, true)
  expect(writes).toBe(4) // two executions, the cursor and a sighting
  const troubles: string[] = []
  for (let nth = 1; nth <= writes; nth++)
    for (const how of ['refused', 'unanswered'] as const)
      for (const isSame of [true, false]) {
        const { isCursorAhead, deposits, isFreshShown } = await caughtUp({ nth, how }, isSame)
        const of = `write ${nth} ${how}, then ${isSame ? 'the same' : 'another'} process:`
        if (isCursorAhead) troubles.push(`${of} the cursor is ahead of what is stored`)
        if (deposits.toSorted().join() !== '25,26') troubles.push(`${of} deposits ${deposits.join()}`)
        if (!isFreshShown) troubles.push(`${of} the unconfirmed deposit is not shown`)
      }
  expect(troubles).toEqual([])
})
