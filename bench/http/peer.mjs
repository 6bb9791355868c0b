import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { getAddress } from 'viem/utils'

/** Parts shared by the other servers, equal to ours: the key, the rate, the store and the response. */
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const chains = { 8453: 'base', 1: 'ethereum', 137: 'polygon', 42161: 'arbitrum', 43114: 'avalanche' }
const digest = (text) => createHash('sha256').update(text).digest('hex')
const known = digest(process.env.BENCH_KEY)
const intents = new Map()
let fullAt = 0

export const chainIds = Object.keys(chains).map(Number)
export const addressForm = '^0x[0-9a-fA-F]{40}$'
export const bodyOf = (statusCode, message, error) => ({ statusCode, message, error })

let random = randomBytes(0)
let next = 0

export function requestId() {
  if (next === random.length) {
    random = randomBytes(22 * 256)
    next = 0
  }
  let id = 'req_'
  for (const end = next + 22; next < end; next++) id += digits[random[next] % 62]
  return id
}

const checksumOf = (text) => {
  let value = crc32(text)
  let sum = ''
  for (let n = 0; n < 6; n++) {
    sum = digits[value % 62] + sum
    value = Math.floor(value / 62)
  }
  return sum
}

/** @returns the headers of the rate limit, or the error. */
export function enter(key) {
  if (!key) return bodyOf(401, 'Missing API key', 'Unauthorized')
  const isForm = /^sy_live_[0-9A-Za-z]{49}$/.test(key) && key.endsWith(checksumOf(key.slice(0, 51)))
  if (!isForm || digest(key) !== known) return bodyOf(401, 'Invalid API key', 'Unauthorized')
  const [now, stepMs, burst] = [Date.now(), 1e-6, 1e9]
  const waitMs = Math.max(fullAt - now, 0)
  if (waitMs > burst * stepMs) return bodyOf(429, 'Quota exceeded', 'Too Many Requests')
  fullAt = Math.max(fullAt, now) + stepMs
  return {
    headers: {
      'cache-control': 'private, no-cache',
      'ratelimit-limit': burst,
      'ratelimit-remaining': Math.floor(burst - waitMs / stepMs) - 1,
      'ratelimit-reset': Math.ceil(waitMs / 1_000),
    },
  }
}

export async function put({ userId, targetChainId, targetTokenAddress, targetAddress }) {
  const stored = intents.get(userId)
  const now = Date.now()
  const intent = {
    ...(stored ?? {
      depositAddress: `0x${digest(userId).slice(0, 40)}`,
      protocolFeeBps: 50,
      sponsoredGas: false,
      createdAt: now,
    }),
    userId,
    targetChainId,
    targetTokenAddress: getAddress(targetTokenAddress),
    targetAddress: getAddress(targetAddress),
    updatedAt: now,
  }
  intents.set(userId, intent)
  return { status: stored ? 200 : 201, view: viewOf(intent) }
}

export async function get(userId) {
  const intent = intents.get(userId)
  return intent ? viewOf(intent) : null
}

const viewOf = (intent) => ({
  userId: intent.userId,
  depositAddress: intent.depositAddress,
  targetChainId: intent.targetChainId,
  targetChainKey: chains[intent.targetChainId],
  targetTokenAddress: intent.targetTokenAddress,
  targetAddress: intent.targetAddress,
  protocolFeeBps: intent.protocolFeeBps,
  sponsoredGas: intent.sponsoredGas,
  createdAt: new Date(intent.createdAt).toISOString(),
  updatedAt: new Date(intent.updatedAt).toISOString(),
})

export const etagOf = (body) => `W/"${digest(body).slice(0, 16)}"`
