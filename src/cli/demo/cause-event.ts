import { outcomeOf, outcomes } from '../../devnet/outcomes'
import { type ChainKey, chains } from '../../domain/chain/chain'
import { eventTypes } from '../../domain/event-types'
import { isTerminal } from '../../domain/execution/status'
import { type Api, Refused, sendFromFaucet } from '../client/api'
import { asking } from '../client/operator-api'
import type { DevnetFile } from '../installation/devnet-file'
import { Failure } from '../terminal/failure'
import { targetOf } from './seed-intent'

type CausingWorld = {
  file: Pick<DevnetFile, 'apiUrl' | 'controlUrl' | 'chains' | 'keys'>
  /** The organization to which it happens. */
  api: Api
  from: ChainKey
  /** Adds a key that expires in a day to the organization. @returns its id. */
  addExpiringKey: () => Promise<string>
  /** A user whom nobody had before. */
  newUser: () => string
  /** Takes note of whatever else it happens to. */
  note: (id: string) => void
  /** When it has to have happened, by `performance.now()`. */
  until: number
}
type Cause = (world: CausingWorld) => Promise<void>

/**
 * To whom it happens: the sandbox, the organization without a quota, or one that is made for it, with a quota of one or
 * with changes of recipients that wait.
 */
type Victim = 'SANDBOX' | 'WITHOUT_QUOTA' | 'QUOTA_OF_ONE' | 'HOLDS_CHANGES'
/** What is to happen, and the event by which it is told. */
type Plan = { type: string; cause: Cause; victim: Victim }

/** Every name that can be triggered: the types of events, and the outcomes of executions. */
export const triggerNames: readonly string[] = [...eventTypes, ...outcomes.map(({ outcome }) => outcome)]

type Sent = { outcome: string } | { fromTokenSymbol: string; amountIn: string }

/** Sends a deposit to a user, who gets an intent first where there is none. @returns the hash of the deposit. */
async function deposit({ file, api, from }: CausingWorld, userId: string, sent: Sent): Promise<string> {
  const target = targetOf(userId, chains[from === 'arbitrum' ? 'base' : 'arbitrum'].id)
  const { depositAddress } = (await api.findIntent(userId)) ?? (await api.createIntent({ userId, ...target }))
  return sendFromFaucet(file.controlUrl, { depositAddress, fromChainKey: from, ...sent })
}

const sends =
  (sent: Sent): Cause =>
  async (world) =>
    void (await deposit(world, world.newUser(), sent))

const depositWithoutIntent: Cause = async ({ file, api, from, newUser }) => {
  const depositAddress = await api.createAccount(newUser())
  await sendFromFaucet(file.controlUrl, { depositAddress, fromChainKey: from, outcome: 'SUCCESS' })
}

/** The user who has an intent in the organization without quota since before there was none. */
const quotaUser = 'sandbox-user'
const depositWithoutQuota: Cause = async (world) => {
  await deposit(world, quotaUser, { outcome: 'QUOTA_EXCEEDED' })
}

/** Too little to route stays in the account, and the next deposit of the token takes it along. */
const depositTakenAlong: Cause = async (world) => {
  const userId = world.newUser()
  await deposit(world, userId, { fromTokenSymbol: 'USDC', amountIn: '1' })
  await within(world, async () => (await world.api.executions(userId)).some(({ status }) => isTerminal(status)))
  await deposit(world, userId, { outcome: 'SUCCESS' })
}

const refused = { fromTokenSymbol: 'SY-REFUND', amountIn: '25000000' } as const

/** Takes a deposit's block away before it is confirmed. Another deposit is sent where that was too late. */
const depositOrphaned: Cause = async (world) => {
  const { file, api, from } = world
  const { rpcUrl } = file.chains[chains[from].id]
  const control = (body: object) =>
    fetch(`${file.controlUrl}/chains/${from}`, { method: 'PUT', body: JSON.stringify(body) })
  for (let isOrphaned = false; !isOrphaned; ) {
    const userId = world.newUser()
    const hash = await deposit(world, userId, { outcome: 'SUCCESS' })
    let block: number | null = null
    await within(world, async () => {
      block = await blockOf(rpcUrl, hash)
      return block !== null
    })
    await control({ mining: false })
    try {
      let stage = ''
      await within(world, async () => {
        stage = (await api.deposits(userId))[0]?.stage ?? ''
        return stage !== ''
      })
      if (stage !== 'CONFIRMING') continue
      const head = Number(await askNode(rpcUrl, 'eth_blockNumber', []))
      await control({ reorgDepth: head - block! + 1 })
      isOrphaned = true
    } finally {
      await control({ mining: true })
    }
  }
}

/** An endpoint that says that it is gone is disabled by the first event that is posted to it. */
const endpointGone: Cause = async (world) => {
  const { api, newUser, note } = world
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(null, { status: 410 }) })
  try {
    const { id } = await api.createEndpoint({ url: `${server.url.origin}/gone`, types: ['deposit.detected'] })
    note(id)
    await deposit(world, newUser(), { outcome: 'SUCCESS' })
    await within(world, async () => !(await api.endpoint(id)).enabled)
    await api.deleteEndpoint(id)
  } finally {
    await server.stop(true)
  }
}

/** The same user, sent elsewhere. */
const intentChanged: Cause = async ({ api, newUser }) => {
  const userId = newUser()
  for (const to of ['arbitrum', 'base'] as const) await api.createIntent({ userId, ...targetOf(userId, chains[to].id) })
}

/** The same user, who is to be sent elsewhere, where that has to wait. */
const changeHeld: Cause = async ({ api, newUser }) => {
  const userId = newUser()
  await api.createIntent({ userId, ...targetOf(userId, chains.arbitrum.id) })
  const refused = await api.createIntent({ userId, ...targetOf(userId, chains.base.id) }).catch((error) => error)
  if (!(refused instanceof Refused) || refused.code !== 'CHANGE_HELD') throw refused
}

/** A pause that somebody ends at once, and that would end by itself if nobody did. */
const chainPaused: Cause = async ({ file, from, note }) => {
  const ask = asking({ url: file.apiUrl, key: file.keys.platformOperator, role: 'OPERATOR' })
  const scope = `pauses/chain:${chains[from].id}`
  note(from)
  const until = new Date(Date.now() + pausedMs).toISOString()
  await ask('PUT', scope, { reason: 'Triggered on the devnet', until })
  await Bun.sleep(pollMs)
  await ask('DELETE', `${scope}?reason=Triggered`)
}
const pausedMs = 60_000

const quotaUsed: Cause = async (world) => {
  await deposit(world, world.newUser(), { outcome: 'SUCCESS' })
  world.note(new Date().toISOString().slice(0, 7))
}

const causes: Record<string, Cause> = {
  'deposit.waiting_for_intent': depositWithoutIntent,
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
/** These pass by on the way of every deposit. As outcomes, the execution stays there. */
const passing = ['execution.pending', 'execution.running']

/**
 * What makes an event or an outcome really happen.
 *
 * @param name A type of event, or an outcome in capitals.
 * @throws {Failure} if there is none of this name.
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

async function within({ until }: CausingWorld, isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) {
    if (performance.now() > until) throw new Failure('What leads to the event did not happen in time.')
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
