import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { tokenOf } from '../../devnet/chains/tokens'
import { type Outcome, outcomeOf, outcomes } from '../../devnet/outcomes'
import { type ChainKey, chains } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import type { Seals } from '../../ports/seals'
import { Api, type ExecutionAnswer, type ExecutionDetail, type IntentAnswer, sendFromFaucet } from '../client/api'
import { Failure } from '../terminal/failure'
import { followToEnd } from '../terminal/follow'
import type { SeededKeys } from './seed'
import { seedIntent, targetOf } from './seed-intent'

export type OutcomeDeposit = {
  apiUrl: string
  controlUrl: string
  keys: Pick<SeededKeys, 'client' | 'quota'>
  store: Pick<MongoStore, 'organizations' | 'apiKeys' | 'accounts' | 'intents' | 'executions' | 'time'>
  /** As the service has them: what is stored past the API is sealed as the API would. */
  seals: Seals
  userId: string
  from: ChainKey
  outcome: string
  timeoutMs: number
  onSent: (hash: Hash, sent: Outcome) => void
  onStatus: (status: string, at: number, note: string | null) => void
  onWait?: (said: string) => void
  onFound?: (id: string) => void
  /** Told of a deposit that the faucet has sent, before anything is said of it. */
  assureSent?: (hash: Hash) => Promise<unknown>
}

export type OutcomeResult = { ended: ExecutionAnswer; detail: ExecutionDetail; hash: Hash; sent: Outcome }

/**
 * Sends the deposit that comes to a status by its own cause in the world, and follows it there.
 *
 * @throws {Failure} when it comes elsewhere.
 */
export async function sendForOutcome(forced: OutcomeDeposit): Promise<OutcomeResult> {
  const { apiUrl, controlUrl, keys, store, userId, from, outcome, timeoutMs, onSent, onStatus, onWait, onFound } =
    forced
  const sent = outcomeOf(outcome)
  if (!sent) throw new Failure(`No outcome ${outcome}; there are ${outcomes.map((one) => one.outcome).join(', ')}.`)
  const isQuota = outcome === 'QUOTA_EXCEEDED'
  const api = new Api(apiUrl, isQuota ? keys.quota : keys.client)
  const target = targetOf(userId, chains[from === 'arbitrum' ? 'base' : 'arbitrum'].id)
  const intent =
    (await api.findIntent(userId)) ??
    (isQuota ? await withoutQuota(api, forced, target) : await api.makeIntent({ userId, ...target }))
  const known = await api.known(userId)
  const hash = await sendFromFaucet(controlUrl, { depositAddress: intent.depositAddress, fromChainKey: from, outcome })
  await forced.assureSent?.(hash)
  onSent(hash, sent)
  const chainId = chains[from].id
  const statuses = new Set<string>()
  const ended = await followToEnd({
    api,
    userId,
    deposit: { chainId, token: tokenOf(chainId, sent.fromTokenSymbol)!.address, hash },
    known,
    load: (id) => store.executions.load(id),
    timeoutMs,
    ...(onWait && { onWait }),
    ...(onFound && { onFound }),
    // What fails is tried again: it is followed to where that leads.
    wanted: outcome === 'FAILED' ? 'SUCCESS' : outcome,
    onStatus: (status, at, note) => {
      statuses.add(status)
      onStatus(status, at, note)
    },
  })
  if (statuses.has(outcome) || ended.status === outcome)
    return { ended, detail: await api.execution(ended.id), hash, sent }
  throw new Failure(`Execution ${ended.id} came to ${ended.status} (${ended.lastErrorCode}), not to ${outcome}.`)
}

/** The account is made by the API, the intent as if it were older than the month's last execution. */
async function withoutQuota(
  api: Api,
  { store, seals, userId }: OutcomeDeposit,
  target: ReturnType<typeof targetOf>,
): Promise<IntentAnswer> {
  const account: Address = await api.makeAccount(userId)
  await seedIntent(store, seals, userId, account, target, await store.time())
  const intent = await api.findIntent(userId)
  if (!intent) throw new Failure(`The intent of ${userId} could not be stored.`)
  return intent
}
