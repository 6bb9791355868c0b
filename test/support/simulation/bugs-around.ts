import { perChain } from '../../../src/domain/chain/chain'
import type { Hash } from '../../../src/domain/chain/hex'
import type { Chains } from '../../../src/ports/chain-client'
import type { Books } from './books'
import { chainWith, logWith, withMethod } from './bug-tools'
import { accountOf, organizationIds, villain } from './parties'
import type { Bug } from './view'

/** The books with some parts replaced. */
const booksWith =
  (replaced: (books: Books) => Partial<Books>): Bug =>
  ({ books }) => ({ books: { ...books!, ...replaced(books!) } })

const isSecondLane = (account: string): boolean => account === accountOf(1)

/** Planted bugs around the engine: of tenants, the ledger, the signer, operators, detection and nodes. */
export const bugsAround: Record<string, Bug> = {
  'an event names another organization': logWith(({ append }) => ({
    append: (events) =>
      append(events.map((event) => (event.seq % 9 === 4 ? { ...event, organizationId: organizationIds[0]! } : event))),
  })),
  'the intent of another tenant’s user is matched': (view) => ({
    intents: { ...view.intents, load: (account) => view.intents.load(isSecondLane(account) ? accountOf(0) : account) },
  }),
  'the ledger reads the records of every organization': booksWith(({ ledger }) => ({
    ledger: {
      records: async function* (_organizationId, before) {
        for (const organizationId of organizationIds) yield* ledger.records(organizationId, before)
      },
    },
  })),
  'events are read without their organization': booksWith(({ eventLog }) => ({
    eventLog: { after: (position, _of, limit) => eventLog.after(position, { organizationId: null }, limit) },
  })),
  'the ledger leaves out deposits without a route': booksWith(({ entriesOf }) => ({
    entriesOf: (line) => entriesOf(line.filter(({ status }) => status !== 'FAILED_UNROUTABLE_MAIN')),
  })),
  'the ledger counts a re-drive as a deposit of its own': booksWith(({ entriesOf }) => ({
    entriesOf: (line) => line.flatMap((record) => entriesOf([{ ...record, redriveOf: null }])),
  })),
  'the ledger adds the gas fee to the routed amount': booksWith(({ entriesOf }) => ({
    entriesOf: (line) =>
      entriesOf(line).map((entry) => ({
        ...entry,
        postings: entry.postings.map((one) => (one.account === 'GAS_FEE' ? { ...one, amountRaw: 0n } : one)),
      })),
  })),
  'a provider’s call is not read before it is signed': ({ provider, aggregators }) => ({
    aggregators: aggregators.map((one) => ({
      ...one,
      quote: (request, signal) => provider.quote(request, signal) as never,
    })),
  }),
  'a database redirects a deposit, and no step reads the seal': (view) => ({
    sealing: { ...view.sealing!, verifyIntent: async () => null },
    intents: {
      ...view.intents,
      load: async (account) => {
        const intent = await view.intents.load(account)
        return intent && { ...intent, targetAddress: villain }
      },
    },
  }),
  'a re-drive counts as a deposit of its own': (view) => ({
    operationPorts: {
      executions: withMethod(view.executions, 'save', (record) => view.executions.save({ ...record, redriveOf: null })),
    },
  }),
  'an operator ends an order that is on its way': (view) => ({
    operationPorts: {
      executions: withMethod(view.executions, 'load', async (id) => {
        const record = await view.executions.load(id)
        const { order: _, ...facts } = record?.facts ?? {}
        return record && { ...record, facts, state: record.state === 'RUNNING' ? 'FAILED' : record.state }
      }),
    },
  }),
  'a deposit that cannot be stored is passed over': () => ({
    intake: ({ confirmed }) => ({ confirmed: (...transfer) => confirmed(...transfer).catch(() => 'IGNORED' as const) }),
  }),
  'an unconfirmed deposit is routed': () => ({
    intake: ({ confirmed }) => ({ seen: confirmed }),
  }),
  'the scan moves on from a block that it has not read': (view) =>
    chainWith(view, (chain) => ({
      transfers: async (tokens, from, to) => {
        const last = (await chain.head()).number - 12 * Math.floor(Number(view.now() % 10 > 8))
        return chain.transfers(tokens, from, Math.min(to, last))
      },
    })),
  'the scan does not see that its last block was replaced': () => ({
    scanning: ({ chain }) => ({
      chain: new Proxy(chain, {
        get: (target, name) =>
          name !== 'blockAt'
            ? Reflect.get(target, name)
            : async (number: number, hash?: Hash) => {
                const block = await chain.blockAt(number)
                return block && hash ? { ...block, hash } : block
              },
      }),
    }),
  }),
  'the scan forgets that a reorganization set it back': () => ({
    scanning: ({ cursors: { load, save } }) => ({
      cursors: {
        save,
        load: async (id) => {
          const cursor = await load(id)
          return cursor && { ...cursor, wasAt: -1 }
        },
      },
    }),
  }),
  'a gap in the nonces of a relayer stays': ({ relayers }) => ({
    relayers: {
      ...relayers,
      filler: async () => {
        throw new Error('unable to sign')
      },
    },
  }),
  'a signer that starts again forgets what it signed': () => ({ signing: () => ({ entries: [] }) }),
  'the signer counts nothing toward the hour': () => ({
    signing: ({ caps }) => ({ caps: { ...caps, take: async () => {} } }),
  }),
  'the second node is the first one again': (view) => ({
    chains: perChain((id) => {
      const chain = view.chains[id]
      return new Proxy(chain, {
        get: (target, name) => (name === 'second' && target.second ? target : Reflect.get(target, name)),
      })
    }) as Chains,
  }),
}
