import { perChain } from '../../../src/domain/chain/chain'
import { failureOf } from '../../../src/domain/execution/execution'
import type { Chains } from '../../../src/ports/chain-client'
import type { EventMarks } from '../../../src/ports/webhooks'
import type { Step, StepOutcome } from '../../../src/routing/engine/step'
import { sweep } from '../../../src/routing/engine/wake-ups'
import { offerObjection } from './bridge'
import { chainWith, logWith, withMethod } from './bug-tools'
import { bugsAround } from './bugs-around'
import { bugsOfApi } from './bugs-of-api'
import { bugsOfDetection } from './bugs-of-detection'
import { bugsOfMints } from './bugs-of-mints'
import { bugsOfQuotas } from './bugs-of-quotas'
import { bugsOfRecords } from './bugs-of-records'
import { bugsOfRelaying } from './bugs-of-relaying'
import { bugsOfSweeps } from './bugs-of-sweeps'
import { chainSeconds } from './chain'
import { sanctioned } from './parties'
import { type Bug, stepsOf } from './view'

const errorsDecide =
  (step: Step): Step =>
  (execution) =>
    step(execution).catch((error) => ({ type: 'order failed', failure: { ...failureOf(error), category: 'NETWORK' } }))

const marksWith =
  (replaced: (marks: EventMarks) => Partial<EventMarks>): Bug =>
  ({ log }) => ({ log: { ...log!, eventMarks: { ...log!.eventMarks, ...replaced(log!.eventMarks) } } })

/** Planted bugs that the simulation must find, each with the rule that it breaks. */
export const bugs: Record<string, Bug> = {
  'each failure of a provider that is away counts as an attempt': ({ provider, aggregators }) => ({
    aggregators: aggregators.map((one) => ({
      ...one,
      quote: async (request, signal) => {
        const offer = await provider.quote(request, signal)
        return (offer && offerObjection(offer, request) === null ? offer : null) as never
      },
      blame: async () => 'REQUEST' as const,
    })),
  }),
  'an error ends an order that is on its way': () => ({
    steps: ({ submitOrder, confirmDelivery }) => ({
      submitOrder: errorsDecide(submitOrder),
      confirmDelivery: errorsDecide(confirmDelivery),
    }),
  }),
  'an order lapses by our clock': (view) =>
    chainWith(view, (chain) => ({
      blockAt: async (number) => ({ ...(await chain.blockAt(number))!, time: chainSeconds(view.now()) }),
    })),
  'a revert ends an order before its block is confirmed': (view) =>
    chainWith(view, (chain) => ({
      receipt: async (hash, routeId) => {
        const receipt = await chain.receipt(hash, routeId)
        return receipt && { ...receipt, block: 0 }
      },
    })),
  'a nonce is assigned without a condition': (view) => ({
    relayerRecords: {
      load: view.relayerRecords.load,
      save: (sender) =>
        view.relayerRecords
          .load(sender.id)
          .then((stored) => view.relayerRecords.save({ ...sender, version: stored?.version ?? 0 })),
    },
  }),
  'a batched order is not stored with the nonce': (view) => ({
    relayerRecords: {
      load: view.relayerRecords.load,
      save: (sender) =>
        view.relayerRecords.save({ ...sender, slots: sender.slots.map(({ also: _, ...slot }) => slot) }),
    },
  }),
  'a slot is forgotten before its block is confirmed': (view) => ({
    ...chainWith(view, (chain) => ({ minedNonces: (key) => chain.minedNonces(key) })),
    relayerRecords: {
      save: view.relayerRecords.save,
      load: async (id) => {
        const sender = await view.relayerRecords.load(id)
        return sender && { ...sender, slots: sender.slots.map((slot) => ({ ...slot, deadline: 0 })) }
      },
    },
  }),
  'an execution is stored without a condition': (view) => ({
    executions: new Proxy(view.executions, {
      get: (executions, name) =>
        name !== 'save'
          ? Reflect.get(executions, name)
          : async (record: { id: string }) =>
              executions.save({ ...record, version: (await executions.load(record.id))!.version } as never),
    }),
  }),
  'there is no lane': () => ({ steps: () => ({ takeLane: async () => ({ type: 'lane taken' }) }) }),
  'a lane is taken without a condition': (view) => ({
    lanes: {
      load: view.lanes.load,
      save: async (lane) => view.lanes.save({ ...lane, version: (await view.lanes.load(lane.id))?.version ?? 0 }),
    },
  }),
  'all that is in the account counts as the deposit’s': ({ chains }) => ({
    steps: ({ verifyBalance }) => ({
      verifyBalance: async (execution) => {
        const outcome = await verifyBalance(execution)
        const balance = outcome.facts?.balance
        if (!balance) return outcome
        const { chainId, token, account } = execution.deposit
        const totalReceivedRaw = String(await chains[chainId].balanceOf(token, account, balance.block))
        const facts = { residue: [], ...outcome.facts, balance: { ...balance, totalReceivedRaw } }
        return { ...outcome, facts } as StepOutcome
      },
    }),
  }),
  'a delivery is not claimed': (view) => ({
    deliveries: { load: view.deliveries.load, save: async (claim) => ({ ...claim, version: 1 }) },
  }),
  'a retry matches the intent again': () => ({
    steps: ({ matchIntent }) => ({
      matchIntent: ({ facts: { intent: _, ...facts }, ...execution }) => matchIntent({ ...execution, facts }),
    }),
  }),
  'a delivery is never accepted': () => ({
    steps: ({ confirmDelivery }) => ({
      confirmDelivery: async (execution) =>
        execution.facts.spent ? { retryInMs: 60_000, waitingFor: 'PROVIDER' } : confirmDelivery(execution),
    }),
  }),
  'less than the minimum is called delivered': () => ({
    steps: ({ confirmDelivery }) => ({
      confirmDelivery: (execution) => {
        const { order, ...facts } = execution.facts
        const lenient = { ...order!, intent: { ...order!.intent, minOut: '1' } }
        return confirmDelivery({ ...execution, facts: { ...facts, order: lenient } })
      },
    }),
  }),
  'the protocol fee is doubled': () => ({
    steps: ({ priceFees }) => ({
      priceFees: async (execution) => {
        const outcome = await priceFees(execution)
        const fees = outcome.facts?.fees
        if (!fees) return outcome
        const protocolFeeEffective = String(2n * BigInt(fees.protocolFeeEffective))
        return { ...outcome, facts: { ...outcome.facts, fees: { ...fees, protocolFeeEffective } } }
      },
    }),
  }),
  'the security list never grows': () => ({ blacklist: { isListed: (_kind, _chain, one) => one === sanctioned } }),
  'a leftover is not screened': (view) => {
    const unnamed = <One extends { deposit: { fromAddress: unknown } }>(all: One[]) =>
      all.map((one) => ({ ...one, deposit: { ...one.deposit, fromAddress: null } }))
    return {
      executions: withMethod(
        withMethod(view.executions, 'residueIn', async (lane) => unnamed(await view.executions.residueIn(lane))),
        'loadMany',
        async (ids) => unnamed(await view.executions.loadMany(ids)),
      ),
    }
  },
  'the gas fee forgets the bridge’s native fee': () => ({
    steps: ({ priceFees }) => ({
      priceFees: async (execution) => {
        const { route, ...facts } = execution.facts
        if (!route?.call) return priceFees(execution)
        const outcome = await priceFees({
          ...execution,
          facts: { ...facts, route: { ...route, call: { ...route.call, nativeFee: '0' } } },
        })
        const priced = outcome.facts?.route ?? route
        const call = priced.call && { ...priced.call, nativeFee: route.call.nativeFee }
        return { ...outcome, facts: { ...outcome.facts, route: { ...priced, call } } }
      },
    }),
  }),
  'one node decides about a large deposit': (view) => ({
    chains: perChain(
      (id) =>
        new Proxy(view.chains[id], { get: (chain, name) => (name === 'second' ? null : Reflect.get(chain, name)) }),
    ) as Chains,
  }),
  'retries are never counted': (view) => ({
    executions: withMethod(view.executions, 'save', (record) => view.executions.save({ ...record, retryCount: 0 })),
  }),
  'an order is signed for a key that cannot pay': (view) =>
    chainWith(view, () => ({ nativeBalance: async () => 10n ** 20n })),
  'an order is signed for a key that has no free slot': (view) => ({
    steps: () => {
      const relayerRecords = { ...view.relayerRecords, load: async () => null }
      return { signOrder: stepsOf({ ...view, relayerRecords }, { find: () => null }).signOrder }
    },
  }),
  'the sweep never completes a round': () => ({
    sweep: async (ports, after) => {
      let last = after
      const next = await sweep(
        {
          ...ports,
          wake: (due) => {
            last = Math.max(last, due.dueAt)
            return ports.wake(due)
          },
        },
        after,
      )
      return next === -1 ? last : next
    },
  }),
  'bytes are sent before they are stored': (view) => ({
    relayers: {
      ...view.relayers,
      transaction: async (...parameters) => {
        const signed = await view.relayers.transaction(...parameters)
        await view.chains[8453].send(signed.bytes)
        return signed
      },
    },
  }),
  'the log is not read before events are appended': logWith(() => ({ named: async () => [] })),
  'events go to the next position if theirs is taken': logWith(({ append, head }) => ({
    append: async (events) => {
      if (await append(events)) return true
      const { position } = (await head())!
      return append(events.map((event, n) => ({ ...event, position: position + n + 1 })))
    },
  })),
  'events count as appended without a response': logWith(({ append }) => ({
    append: (events) => append(events).catch(() => true),
  })),
  'the events of a batch are appended in the reverse order': logWith(({ append }) => ({
    append: (events) =>
      append(events.map((event, n) => ({ ...events.at(-n - 1)!, position: event.position, loggedAt: event.loggedAt }))),
  })),
  'a time in the log is that of the process': (view) =>
    logWith(({ append }) => ({
      append: (events) => append(events.map((event) => ({ ...event, loggedAt: view.now() }))),
    }))(view),
  'a mark is cleared although it has changed': marksWith(({ due, clear }) => ({
    clear: async (marks) => {
      const present = await due('executions', -1, Number.MAX_SAFE_INTEGER / 10, 1_000)
      const newest = new Map(present.map((mark) => [mark.id, mark.mark]))
      await clear(marks.map((one) => ({ ...one, mark: newest.get(one.id) ?? one.mark })))
    },
  })),
  'a mark is cleared before its events are in the log': marksWith(({ due, clear }) => ({
    due: async (...asked) => {
      const marks = await due(...asked)
      await clear(marks.map((mark) => ({ ...mark, next: null })))
      return marks
    },
  })),
  'no party is screened': () => ({ blacklist: { isListed: () => false } }),
  'the lane always seems free': (view) => ({
    lanes: {
      save: view.lanes.save,
      load: async (id) => {
        const lane = await view.lanes.load(id)
        return lane && { ...lane, holder: null }
      },
    },
  }),
  'the newest block counts as confirmed': (view) =>
    chainWith(view, (chain) => ({
      confirmedNumber: async () => (await chain.head()).number,
      confirmed: () => chain.head(),
    })),
  'the recipient is read when the order is signed': (view) => ({
    signer: {
      ...view.signer,
      sign: async (execution, ...more) => {
        const intent = await view.intents.load(execution.deposit.account)
        return view.signer.sign({ ...execution, facts: { ...execution.facts, intent: intent! } }, ...more)
      },
    },
  }),
  'an order has no minimum': (view) => ({
    signer: {
      ...view.signer,
      sign: async (...asked) => {
        const order = await view.signer.sign(...asked)
        return { ...order, intent: { ...order.intent, minOut: '1' } }
      },
    },
  }),
  'an order takes less than the balance': (view) => ({
    signer: {
      ...view.signer,
      sign: async (...asked) => {
        const order = await view.signer.sign(...asked)
        return { ...order, amountIn: String(BigInt(order.amountIn) - 1n) }
      },
    },
  }),
  'a wait has no end': (view) => ({
    executions: withMethod(view.executions, 'save', (record) => {
      const isLost = record.dueAt !== null && record.facts.waiting?.for === 'LANE'
      return view.executions.save(isLost ? { ...record, dueAt: record.dueAt! + 86_400_000 } : record)
    }),
  }),
  'a wake-up is sent once': () => {
    const sent = new Set<string>()
    return {
      sweep: (ports, after) =>
        sweep(
          {
            ...ports,
            wake: async (due) => {
              if (sent.has(due.id)) return
              sent.add(due.id)
              await ports.wake(due)
            },
          },
          after,
        ),
    }
  },
  'a lost delivery counts as delivered': (view) => ({
    steps: ({ confirmDelivery }) => ({
      confirmDelivery: async (execution, store) => {
        const outcome = await confirmDelivery(execution, store)
        const isLate = execution.facts.spent && view.now() - execution.facts.spent.at > 300_000
        return isLate && !('type' in outcome)
          ? { type: 'funds delivered', facts: { delivery: { hash: execution.facts.spent!.hash } as never } }
          : outcome
      },
    }),
  }),
  ...bugsAround,
  ...bugsOfDetection,
  ...bugsOfSweeps,
  ...bugsOfRecords,
  ...bugsOfRelaying,
  ...bugsOfMints,
  ...bugsOfQuotas,
  ...bugsOfApi,
}
