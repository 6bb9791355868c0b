import { wallClock } from '../../adapters/clock'
import { outcomeOf, outcomes } from '../../devnet/outcomes'
import { type ChainKey, chains } from '../../domain/chain/chain'
import { eventTypes } from '../../domain/event-types'
import { isTerminal } from '../../domain/execution/status'
import { pausedMessages } from '../../domain/tenant/pause-scope'
import { type Api, ApiRefusal, sendFromFaucet } from '../client/api'
import { operatorRequests } from '../client/operator-api'
import type { DevnetFile } from '../installation/devnet-file'
import { Failure } from '../terminal/failure'
import { targetOf } from './seed-intent'

type CausingWorld = {
  file: Pick<DevnetFile, 'apiUrl' | 'controlUrl' | 'chains' | 'keys'>
  /** Sends requests as the affected organization. */
  api: Api
  from: ChainKey
  /** Adds a key to the organization that expires in a day. @returns its id. */
  addExpiringKey: () => Promise<string>
  /** Returns a new user id. */
  newUser: () => string
  /** Records a further id that the event may concern. */
  note: (id: string) => void
  /** Deadline, by `performance.now()`. */
  until: number
}
type Cause = (world: CausingWorld) => Promise<void>

/**
 * The affected organization: the sandbox, the organization without a quota, or a new one. A new one has a quota of one
 * execution, or delays recipient changes.
 */
type Victim = 'SANDBOX' | 'WITHOUT_QUOTA' | 'QUOTA_OF_ONE' | 'HOLDS_CHANGES'
/** An event type, and the action that causes it. */
type Plan = { type: string; cause: Cause; victim: Victim }

/** All names that can be triggered: event types, and outcomes of executions. */
export const triggerNames: readonly string[] = [...eventTypes, ...outcomes.map(({ outcome }) => outcome)]

type DemoDeposit = { outcome: string } | { fromTokenSymbol: string; amountIn: string }

/** @returns a user's deposit address. A user without an intent gets one first. */
async function addressOf({ api, from }: CausingWorld, userId: string): Promise<string> {
  const target = targetOf(userId, chains[from === 'arbitrum' ? 'base' : 'arbitrum'].id)
  return ((await api.findIntent(userId)) ?? (await api.createIntent({ userId, ...target }))).depositAddress
}

const send = ({ file, from }: CausingWorld, depositAddress: string, sent: DemoDeposit): Promise<string> =>
  sendFromFaucet(file.controlUrl, { depositAddress, fromChainKey: from, ...sent })

/** Sends a deposit to a user. @returns the deposit's hash. */
const deposit = async (world: CausingWorld, userId: string, sent: DemoDeposit): Promise<string> =>
  send(world, await addressOf(world, userId), sent)

const sends =
  (sent: DemoDeposit): Cause =>
  async (world) =>
    void (await deposit(world, world.newUser(), sent))

const depositWithoutIntent: Cause = async ({ file, api, from, newUser }) => {
  const depositAddress = await api.createAccount(newUser())
  await sendFromFaucet(file.controlUrl, { depositAddress, fromChainKey: from, outcome: 'SUCCESS' })
}

/** A user of the organization without a quota whose intent is older than the end of the quota. */
const quotaUser = 'sandbox-user'
const depositWithoutQuota: Cause = async (world) => {
  await deposit(world, quotaUser, { outcome: 'QUOTA_EXCEEDED' })
}

/** A deposit too small to route stays in the account, and the next deposit of the token includes it. */
const depositTakenAlong: Cause = async (world) => {
  const userId = world.newUser()
  await deposit(world, userId, { fromTokenSymbol: 'USDC', amountIn: '1' })
  await within(world, 'the small deposit ends', async () =>
    (await world.api.executions(userId)).some(({ status }) => isTerminal(status)),
  )
  await deposit(world, userId, { outcome: 'SUCCESS' })
}

const refused = { fromTokenSymbol: 'SY-REFUND', amountIn: '25000000' } as const

/** Removes a deposit's block before it is confirmed. If that was too late, sends another deposit. */
const depositOrphaned: Cause = async (world) => {
  const { file, api, from } = world
  const { rpcUrl } = file.chains[chains[from].id]
  const control = (body: object) =>
    fetch(`${file.controlUrl}/chains/${from}`, { method: 'PUT', body: JSON.stringify(body) })
  await within(world, 'a deposit is removed before it is confirmed', async () => {
    const userId = world.newUser()
    const hash = await deposit(world, userId, { outcome: 'SUCCESS' })
    let block: number | null = null
    await within(world, 'the deposit is mined', async () => {
      block = await blockOf(rpcUrl, hash)
      return block !== null
    })
    const stageOnce = async (what: string, isReached: (stage: string) => boolean) => {
      let stage = ''
      await within(world, what, async () => {
        stage = (await api.deposits(userId))[0]?.stage ?? ''
        return isReached(stage)
      })
      return stage
    }
    await control({ mining: false })
    try {
      if ((await stageOnce('the deposit is detected', (stage) => stage !== '')) !== 'CONFIRMING') return false
      const head = Number(await askNode(rpcUrl, 'eth_blockNumber', []))
      await control({ reorgDepth: head - block! + 1 })
    } finally {
      await control({ mining: true })
    }
    // A busy service may have confirmed it just before its block was removed.
    const stage = await stageOnce('the removal is noticed', (now) => now !== 'CONFIRMING')
    return stage === 'ORPHANED' || stage === ''
  })
}

/** An endpoint that answers 410 Gone is disabled by the first event posted to it. */
const endpointGone: Cause = async (world) => {
  const { api, newUser, note } = world
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(null, { status: 410 }) })
  try {
    const { id } = await api.createEndpoint({ url: `${server.url.origin}/gone`, types: ['deposit.detected'] })
    note(id)
    await deposit(world, newUser(), { outcome: 'SUCCESS' })
    await within(world, 'the endpoint is disabled', async () => !(await api.endpoint(id)).enabled)
    await api.deleteEndpoint(id)
  } finally {
    await server.stop(true)
  }
}

/** Changes the recipient of an existing user. */
const intentChanged: Cause = async ({ api, newUser }) => {
  const userId = newUser()
  for (const to of ['arbitrum', 'base'] as const) await api.createIntent({ userId, ...targetOf(userId, chains[to].id) })
}

/** Changes the recipient of an existing user in an organization that holds changes back. */
const changeHeld: Cause = async ({ api, newUser }) => {
  const userId = newUser()
  await api.createIntent({ userId, ...targetOf(userId, chains.arbitrum.id) })
  const refused = await api.createIntent({ userId, ...targetOf(userId, chains.base.id) }).catch((error) => error)
  if (!(refused instanceof ApiRefusal) || refused.code !== 'CHANGE_HELD') throw refused
}

/** Pauses a chain during some work. The pause also expires at the deadline, in case the second call fails. */
async function whilePaused({ file, from, until: deadline }: CausingWorld, work: () => Promise<unknown>): Promise<void> {
  const ask = operatorRequests({ url: file.apiUrl, key: file.keys.platformOperator, role: 'OPERATOR' })
  const scope = `pauses/chain:${chains[from].id}`
  const until = new Date(wallClock() + deadline - performance.now()).toISOString()
  await ask('PUT', scope, { reason: 'Triggered on the devnet', until })
  await work().finally(() => ask('DELETE', `${scope}?reason=Triggered`))
}
const chainPaused: Cause = async (world) => {
  world.note(world.from)
  await whilePaused(world, () => Bun.sleep(pollMs))
}
const depositPaused: Cause = async (world) => {
  const { api, from } = world
  const userId = world.newUser()
  const isRead = async () =>
    (await api.chains()).some(({ chainKey, message }) => chainKey === from && message === pausedMessages.chain)
  const isWaiting = async () => (await api.deposits(userId)).some(({ stage }) => stage === 'PAUSED')
  await whilePaused(world, async () => {
    // A service that has not read the pause yet would route the deposit.
    await within(world, 'the service reads the pause', isRead)
    await deposit(world, userId, { outcome: 'SUCCESS' })
    await within(world, 'the deposit waits', isWaiting)
  })
}
/** Sends two deposits of one token together: the second waits until the money of the first has left the account. */
const depositQueued: Cause = async (world) => {
  const address = await addressOf(world, world.newUser())
  await Promise.all([1, 2].map(() => send(world, address, { outcome: 'SUCCESS' })))
}

const quotaUsed: Cause = async (world) => {
  await deposit(world, world.newUser(), { outcome: 'SUCCESS' })
  world.note(new Date(wallClock()).toISOString().slice(0, 7))
}

const causes: Record<string, Cause> = {
  'deposit.waiting_for_intent': depositWithoutIntent,
  'deposit.queued': depositQueued,
  'deposit.paused': depositPaused,
  'deposit.orphaned': depositOrphaned,
  'deposit.returned': sends(refused),
  'execution.superseded': depositTakenAlong,
  'execution.quota_exceeded': depositWithoutQuota,
  'webhook_endpoint.disabled': endpointGone,
  'intent.updated': intentChanged,
  'intent.change_held': changeHeld,
  'chain.paused': chainPaused,
  'chain.resumed': chainPaused,
  'quota.warning': quotaUsed,
  'api_key.expiring': async ({ addExpiringKey, note }) => note(await addExpiringKey()),
}
/** Every deposit passes through these. As outcomes, the execution stays there. */
const passing = ['execution.pending', 'execution.running']

/**
 * Returns the plan that causes an event or an outcome.
 *
 * @param name A type of event, or an outcome in capitals.
 * @throws {Failure} for an unknown name.
 */
export function planFor(name: string): Plan {
  const outcome = outcomeOf(name)
  const type = outcome ? `execution.${name.toLowerCase()}` : name
  if (!outcome && !eventTypes.includes(type))
    throw new Failure(`There is no event or outcome ${name}. There are: ${triggerNames.join(', ')}.`)
  const status = type.replace('execution.', '').toUpperCase()
  const isOutcome = outcome !== undefined || (outcomeOf(status) !== undefined && !passing.includes(type))
  const cause = causes[type] ?? sends({ outcome: isOutcome ? status : 'SUCCESS' })
  return { type, cause, victim: victims[type] ?? 'SANDBOX' }
}

const victims: Record<string, Victim> = {
  'execution.quota_exceeded': 'WITHOUT_QUOTA',
  'intent.change_held': 'HOLDS_CHANGES',
  'quota.warning': 'QUOTA_OF_ONE',
}

const pollMs = 40

async function within({ until }: CausingWorld, what: string, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    if (performance.now() > until) throw new Failure(`The cause of the event did not happen in time: ${what}.`)
    await Bun.sleep(pollMs)
  }
}

async function askNode(rpcUrl: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return ((await response.json()) as { result: unknown }).result
}

async function blockOf(rpcUrl: string, hash: string): Promise<number | null> {
  const receipt = (await askNode(rpcUrl, 'eth_getTransactionReceipt', [hash])) as { blockNumber: string } | null
  return receipt && Number(receipt.blockNumber)
}
