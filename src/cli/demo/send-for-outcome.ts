import type { MongoStore } from '../../adapters/mongo/mongo-store'
import { tokenOf } from '../../devnet/chains/tokens'
import { type Outcome, outcomeOf, outcomes } from '../../devnet/outcomes'
import { type ChainKey, chains } from '../../domain/chain/chain'
import type { Address, Hash } from '../../domain/chain/hex'
import type { Seals } from '../../domain/seals'
import { Api, type ExecutionAnswer, type ExecutionDetail, type IntentAnswer, sendFromFaucet } from '../client/api'
import { Failure } from '../terminal/failure'
import { followToEnd } from '../terminal/follow'
import type { SeededKeys } from './seed'
import { seedIntent, targetOf } from './seed-intent'

type OutcomeDeposit = {
  apiUrl: string
  controlUrl: string
  keys: Pick<SeededKeys, 'client' | 'quota'>
  store: Pick<MongoStore, 'organizations' | 'apiKeys' | 'accounts' | 'intents' | 'executions' | 'time'>
  /** The service's own seals. An intent stored without the API gets the same seal as through the API. */
  seals: Seals
  userId: string
  from: ChainKey
  outcome: string
  timeoutMs: number
  onSent: (hash: Hash, sent: Outcome) => void
  onStatus: (status: string, at: number, note: string | null) => void
  onWait?: (message: string) => void
  onDetected?: (id: string) => void
  /** Called with the deposit's hash and awaited, before `onSent`. */
  checkSent?: (hash: Hash) => Promise<unknown>
}

type OutcomeResult = { ended: ExecutionAnswer; detail: ExecutionDetail; hash: Hash; sent: Outcome }

/**
 * Sends a deposit that reaches the given status by its real cause, and follows it there.
 *
 * @throws {Failure} if it reaches another status.
 */
export async function sendForOutcome(deposit: OutcomeDeposit): Promise<OutcomeResult> {
  const { apiUrl, controlUrl, keys, store, userId, from, outcome, timeoutMs, onSent, onStatus, onWait, onDetected } =
    deposit
  const sent = outcomeOf(outcome)
  if (!sent)
    throw new Failure(
      `There is no outcome ${outcome}. The outcomes are: ${outcomes.map((each) => each.outcome).join(', ')}.`,
    )
  const isQuota = outcome === 'QUOTA_EXCEEDED'
  const api = new Api(apiUrl, isQuota ? keys.quota : keys.client)
  const target = targetOf(userId, chains[from === 'arbitrum' ? 'base' : 'arbitrum'].id)
  const intent =
    (await api.findIntent(userId)) ??
    (isQuota ? await createIntentWithoutQuota(api, deposit, target) : await api.createIntent({ userId, ...target }))
  const existing = await api.existingIds(userId)
  const hash = await sendFromFaucet(controlUrl, { depositAddress: intent.depositAddress, fromChainKey: from, outcome })
  await deposit.checkSent?.(hash)
  onSent(hash, sent)
  const chainId = chains[from].id
  const statuses = new Set<string>()
  const ended = await followToEnd({
    api,
    userId,
    deposit: { chainId, token: tokenOf(chainId, sent.fromTokenSymbol)!.address, hash },
    existing,
    load: (id) => store.executions.load(id),
    timeoutMs,
    ...(onWait && { onWait }),
    ...(onDetected && { onDetected }),
    // A failed execution is retried automatically, so it is followed on to SUCCESS.
    wanted: outcome === 'FAILED' ? 'SUCCESS' : outcome,
    onStatus: (status, at, note) => {
      statuses.add(status)
      onStatus(status, at, note)
    },
  })
  if (statuses.has(outcome) || ended.status === outcome)
    return { ended, detail: await api.execution(ended.id), hash, sent }
  throw new Failure(`Execution ${ended.id} ended ${ended.status} (${ended.lastErrorCode}), not ${outcome}.`)
}

/** Creates the account through the API, and stores the intent as if it were older than the end of the quota. */
async function createIntentWithoutQuota(
  api: Api,
  { store, seals, userId }: OutcomeDeposit,
  target: ReturnType<typeof targetOf>,
): Promise<IntentAnswer> {
  const account: Address = await api.createAccount(userId)
  await seedIntent(store, seals, userId, account, target, await store.time())
  const intent = await api.findIntent(userId)
  if (!intent) throw new Failure(`The intent of ${userId} could not be stored.`)
  return intent
}
