import { failureOf } from '../../../src/domain/execution'
import type { ChainClient, Chains } from '../../../src/ports/chain-client'
import type { Step } from '../../../src/routing/advance'
import { chainSeconds } from './chain'
import type { Bug, View } from './view'

const errorsDecide =
  (step: Step): Step =>
  (execution) =>
    step(execution).catch((error) => ({ type: 'order failed', failure: { ...failureOf(error), category: 'NETWORK' } }))

/** The source chain with something else in it. */
function chainWith(view: View, replaced: (chain: ChainClient) => Partial<ChainClient>): Partial<View> {
  const chain = view.chains[8453]
  const other = replaced(chain)
  const instead = new Proxy(chain, { get: (target, name) => Reflect.get(other, name) ?? Reflect.get(target, name) })
  return { chains: { ...view.chains, 8453: instead } as Chains }
}

/** What the simulation must find, each with the rule that it breaks. */
export const bugs: Record<string, Bug> = {
  'an error ends an order that is on its way': () => ({
    steps: ({ submitOrder, confirmDelivery }) => ({
      submitOrder: errorsDecide(submitOrder),
      confirmDelivery: errorsDecide(confirmDelivery),
    }),
  }),
  'an order lapses by our clock': (view) =>
    chainWith(view, (chain) => ({
      confirmed: async () => ({ ...(await chain.confirmed()), time: chainSeconds(view.now()) }),
    })),
  'a nonce is given without a condition': (view) => ({
    senders: {
      load: view.senders.load,
      save: (sender) =>
        view.senders.load(sender.id).then((stored) => view.senders.save({ ...sender, version: stored?.version ?? 0 })),
    },
  }),
  'a slot is forgotten before its block is confirmed': (view) => ({
    ...chainWith(view, (chain) => ({ minedNonces: (key) => chain.minedNonces(key) })),
    senders: {
      save: view.senders.save,
      load: async (id) => {
        const sender = await view.senders.load(id)
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
  'the balance is read before an earlier move is confirmed': () => ({
    steps: ({ verifyBalance }) => ({
      verifyBalance: ({ facts, ...rest }) => verifyBalance({ ...rest, facts: { ...facts, laneClearFrom: 0 } }),
    }),
  }),
  'nothing is left aside for others': (view) => ({
    executions: new Proxy(view.executions, {
      get: (executions, name) => (name === 'unspentIn' ? async () => [] : Reflect.get(executions, name)),
    }),
  }),
  'what the security list stopped is not left aside': (view) => ({
    executions: new Proxy(view.executions, {
      get: (executions, name) =>
        name !== 'unspentIn'
          ? Reflect.get(executions, name)
          : async (lane: string) =>
              (await executions.unspentIn(lane)).filter(({ state }) => state !== 'TOKEN_BLACKLISTED'),
    }),
  }),
  'a delivery is not claimed': (view) => ({
    deliveries: { load: view.deliveries.load, save: async (claim) => ({ ...claim, version: 1 }) },
  }),
  'a retry matches the intent anew': () => ({
    steps: ({ matchIntent }) => ({
      matchIntent: ({ facts: { intent: _, ...facts }, ...execution }) => matchIntent({ ...execution, facts }),
    }),
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
}
