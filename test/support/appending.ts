import { withHistoryEntry } from '../../machines/execution'
import { chains, perChain } from '../../src/domain/chain/chain'
import type { Execution } from '../../src/domain/execution/execution'
import { TokenList } from '../../src/domain/money/token'
import { type AppenderPorts, eventAppender } from '../../src/events/appender'
import { viewContext } from '../../src/http/views/view-context'
import type { OwnMark } from '../../src/ports/webhooks'
import { executionOf } from './deposits'
import { storeInMemory } from './stores'

const way = ['screening deposit', 'taking lane', 'verifying balance', 'finding route']
/** Advances a record by some steps in one write. */
export const advanced = (record: Execution, steps: number, at: number): Execution =>
  Array.from({ length: steps }).reduce<Execution>((so) => {
    const to = way[way.indexOf(so.state) + 1]
    const entry = { at, event: `to ${to}`, from: so.state, status: null, note: null }
    return to ? withHistoryEntry({ ...so, state: to }, { ...entry, to }) : so
  }, record)

type Changes = Partial<Pick<AppenderPorts, 'eventLog' | 'eventMarks'> & Pick<AppenderPorts['records'], 'executions'>>

/** A store, a clock that tests move, and any number of appenders. */
export function appending() {
  const clock = { now: 1_000_000 }
  const store = storeInMemory()
  const troubles: unknown[] = []
  const chainFacts = {
    tokens: new TokenList([]),
    chains: perChain((_id, name) => ({ confirmations: chains[name].confirmations })),
  }
  const contextFor = viewContext({ ...store, ...chainFacts, now: () => clock.now })
  const appender = ({ executions, ...logs }: Changes = {}) =>
    eventAppender({
      records: executions ? { ...store, executions } : store,
      eventLog: store.eventLog,
      eventMarks: store.eventMarks,
      viewContext: () => contextFor({ tenant: '' }),
      now: () => clock.now,
      onTrouble: (error) => troubles.push(error),
      ...logs,
    })
  const save = async (record: Execution): Promise<Execution> => (await store.executions.save(record))!
  /** The mark that the last write of a record set. */
  const ownMark = (record: Execution): OwnMark => ({
    ...{ collection: 'executions', id: record.id, record },
    ...store.executions.marks.get(record.id)!,
  })
  const detected = (n: number) => save(executionOf(n, {}, { detectedAt: clock.now }))
  return { ...store, store, clock, troubles, appender, save, detected, ownMark }
}
