import type { Connection } from 'mongoose'
import { secondsOf } from '../../src/adapters/mongo/collections/execution-model'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import type { Address, Hash } from '../../src/domain/chain/hex'
import { laneId } from '../../src/domain/execution/lane'
import { endedRecord } from '../engine/workflow'
import { fillRows } from '../fill-rows'

const organizationId = 'org_1'
const executionsPerUser = 10
const rareEvery = 100_000
const monthMs = 30 * 24 * 60 * 60_000

export const addressOf = (n: number): Address => `0xf1${n.toString(16).padStart(38, '0')}`
export const hashOf = (n: number): Hash => `0x${n.toString(16).padStart(64, '0')}`
const routeIdOf = (n: number): Hash => `0xf1${n.toString(16).padStart(62, '0')}`
/** The user of the n-th execution, who has an account and an intent. */
export const userOf = (n: number): string => `filled-${Math.floor(n / executionsPerUser)}`

const pattern = endedRecord(1, 0)
/** An execution as it is stored, without the 2,000 bytes of call data, which fill the disk but not the indexes. */
const data = '0x5c5c5c5c'
const { route, order } = pattern.facts
const facts = {
  ...pattern.facts,
  quotaKey: `${organizationId}:filled`,
  route: route && { ...route, call: { ...route.call, data } },
  order: order && { ...order, data },
}

type Row = { _id: string } & Record<string, unknown>

const stored = { version: 1, writer: 'bench' }

/** The time of the n-th of `size` rows, which are spread evenly over the last month. */
function executionRow(n: number, size: number, now: number): Row {
  const at = now - Math.floor((n * monthMs) / size)
  const [account, txHash] = [addressOf(n), hashOf(n)]
  const { id: _, ...rest } = pattern
  const { chainId, token } = pattern.deposit
  const lane = laneId(account, chainId, token)
  const history = rest.history.map((entry) => ({ ...entry, at }))
  const provider = n % rareEvery === 0 ? 'relay' : 'lifi'
  return {
    _id: `${chainId}:${txHash}:0`,
    ...rest,
    ...stored,
    organizationId,
    userId: userOf(n),
    deposit: { ...pattern.deposit, lane, account, block: n, txHash, detectedAt: at },
    facts: {
      ...facts,
      route: { ...facts.route, provider },
      routeId: routeIdOf(n),
      spent: { ...facts.spent, hash: txHash, block: n, at },
    },
    createdAt: at,
    completedAt: at,
    history,
    keys: { hashes: [txHash], seconds: secondsOf(history), over: [rest.state] },
  }
}

function accountRow(n: number, now: number): Row {
  const accountSalt = hashOf(n)
  const times = { createdAt: now - n, updatedAt: now - n }
  const whose = { organizationId, userId: `filled-${n}` }
  return { _id: addressOf(n), ...stored, ...whose, accountSalt, canonicalChainId: 8453, label: null, ...times }
}

function intentRow(n: number, now: number): Row {
  const { targetChainId, targetTokenAddress, targetAddress } = pattern.facts.intent!
  const target = { targetChainId, targetTokenAddress, targetAddress, refundAddress: null }
  const key = { apiKeyId: 'key_1', protocolFeeBps: 50, sponsoredGas: false }
  const times = { createdAt: now - n, updatedAt: now - n }
  return { _id: addressOf(n), ...stored, organizationId, userId: `filled-${n}`, ...key, ...target, ...times }
}

/** Stores the accounts, intents and executions of one organization from `from` to `to`. */
export async function fill(connection: Connection, from: number, to: number): Promise<void> {
  const { ensureIndexes } = mongoStore(connection, 'bench', Date.now)
  const now = Date.now()
  const made = {
    accounts: (n: number) => accountRow(n, now),
    intents: (n: number) => intentRow(n, now),
    executions: (n: number) => executionRow(n, to, now),
  }
  for (const [name, row] of Object.entries(made))
    await fillRows(connection.collection<{ _id: string }>(name) as never, from, to, row, ensureIndexes)
}
