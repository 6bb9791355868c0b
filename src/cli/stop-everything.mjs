#!/usr/bin/env node
// Pauses the executor on every chain. For the hour in which nothing else may be trusted, this file shares no code with
// the service: it needs Node, viem, the URLs of nodes, the executor's address and the guardian's key, and it runs alone
// as well: node src/cli/stop-everything.mjs. What is paused stays paused until the admin has waited two days.
import { readFileSync } from 'node:fs'
import { privateKeyToAccount } from 'viem/accounts'
import { encodeFunctionData, parseAbi, toHex } from 'viem/utils'

const requestMs = 3_000
const lookMs = 300
/** A transaction that is not mined after this time is sent again, with twice the fee. */
const againMs = 3_000
const givenUpSecondsDefault = 60
const gasIfUnknown = 1_500_000n
const gwei = 10n ** 9n
/** The least tip, by which the transaction is worth including on every chain. */
const tipLeastWei = 30n * gwei

const abi = parseAbi(['function stop(uint8 what, bytes32 key)', 'function paused() view returns (bool)'])
/** The first item of `stop` is everything. */
const stopData = encodeFunctionData({ abi, functionName: 'stop', args: [0, toHex(0, { size: 32 })] })
const pausedData = encodeFunctionData({ abi, functionName: 'paused' })

const isRehearsal = process.argv.includes('--rehearse')
const [, secondsText] = /--seconds[= ](\d+)/.exec(process.argv.join(' ')) ?? []
const givenUpMs = 1_000 * Number(secondsText ?? givenUpSecondsDefault)

const refuse = (sentence) => {
  console.error(sentence)
  process.exit(2)
}

function settings() {
  const { env } = process
  const executors = [env.ROUTE_EXECUTOR_ADDRESS, ...(env.FORMER_EXECUTOR_ADDRESSES ?? '').split(',')]
    .map((each) => (each ?? '').trim())
    .filter((each) => each !== '')
  if (!executors.length || !executors.every((each) => /^0x[0-9a-fA-F]{40}$/.test(each)))
    refuse('ROUTE_EXECUTOR_ADDRESS must be the address of the executor.')
  const chains = Object.entries(env).flatMap(([name, value]) => {
    const [, chain] = /^RPC_URL_([A-Z0-9]+)$/.exec(name) ?? []
    const urls = (value ?? '').split(',').map((each) => each.trim())
    return chain && value ? [{ name: chain.toLowerCase(), urls: urls.filter((each) => each !== '') }] : []
  })
  if (!chains.length) refuse('Set RPC_URL_… of every chain.')
  const text = env.GUARDIAN_PRIVATE_KEY_FILE ? readKey(env.GUARDIAN_PRIVATE_KEY_FILE) : env.GUARDIAN_PRIVATE_KEY
  if (text !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(text)) refuse('GUARDIAN_PRIVATE_KEY must be a private key.')
  return { executors, chains, guardian: text === undefined ? null : privateKeyToAccount(text) }
}

function readKey(path) {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return refuse('The file that GUARDIAN_PRIVATE_KEY_FILE names cannot be read.')
  }
}

/** Asks one node. It throws sentences without the URL, which may contain a key. */
async function ask(url, method, params) {
  const target = new URL(url)
  const headers = { 'content-type': 'application/json' }
  if (target.username) {
    headers.authorization = `Basic ${btoa(`${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`)}`
    target.username = target.password = ''
  }
  let answer
  try {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const signal = AbortSignal.timeout(requestMs)
    answer = await (await fetch(target, { method: 'POST', headers, body, signal })).json()
  } catch {
    throw new Error('no node answers')
  }
  if (answer.error) throw new Error(`the node refuses: ${String(answer.error.message).slice(0, 120)}`)
  return answer.result
}

/** The first answer of any node of the chain. */
const askAny = (urls, method, params) =>
  Promise.any(urls.map((url) => ask(url, method, params))).catch((error) => {
    throw error.errors?.find(({ message }) => message !== 'no node answers') ?? error.errors?.[0] ?? error
  })

/** Whether every node that answers says so: a node that lags, or lies, must not end the alarm. */
async function isPaused(urls, executor) {
  const said = await Promise.allSettled(
    urls.map((url) => ask(url, 'eth_call', [{ to: executor, data: pausedData }, 'latest'])),
  )
  const answers = said.filter(({ status }) => status === 'fulfilled').map(({ value }) => value)
  if (answers.some((answer) => !/^0x[0-9a-f]{64}$/.test(answer)))
    throw new Error('there is no executor at that address')
  return answers.length > 0 && answers.every((answer) => BigInt(answer) === 1n)
}

async function transaction({ urls }, executor, guardian, doublings) {
  const call = { from: guardian.address, to: executor, data: stopData }
  const [chainId, nonce, block, tip, balance, gas] = await Promise.all([
    askAny(urls, 'eth_chainId', []),
    // The mined nonce: what the guardian has pending is replaced.
    askAny(urls, 'eth_getTransactionCount', [guardian.address, 'latest']),
    askAny(urls, 'eth_getBlockByNumber', ['latest', false]),
    askAny(urls, 'eth_maxPriorityFeePerGas', []).catch(() => '0x0'),
    askAny(urls, 'eth_getBalance', [guardian.address, 'latest']),
    askAny(urls, 'eth_estimateGas', [call]).then(
      (estimated) => 2n * BigInt(estimated),
      (error) => {
        if (/revert/i.test(error.message)) throw new Error('the key is not the guardian or the admin there')
        return gasIfUnknown
      },
    ),
  ])
  const factor = 2n ** BigInt(doublings)
  const tipWanted = factor * (BigInt(tip) > tipLeastWei ? BigInt(tip) : tipLeastWei)
  const feeWanted = 4n * factor * BigInt(block.baseFeePerGas ?? 0) + tipWanted
  const feeAffordable = BigInt(balance) / gas
  const maxFeePerGas = feeWanted < feeAffordable ? feeWanted : feeAffordable
  if (maxFeePerGas === 0n) throw new Error('the guardian has no coin to pay the fee with')
  const maxPriorityFeePerGas = tipWanted < maxFeePerGas ? tipWanted : maxFeePerGas
  return guardian.signTransaction({
    type: 'eip1559',
    chainId: Number(chainId),
    nonce: Number(nonce),
    to: executor,
    data: stopData,
    value: 0n,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
  })
}

/** Sends until the executor is paused. Returns the sentence about it. */
async function stopped(chain, executor, guardian) {
  const startedAt = performance.now()
  const seconds = () => ((performance.now() - startedAt) / 1_000).toFixed(1)
  if (await isPaused(chain.urls, executor)) return 'was paused already'
  if (isRehearsal) {
    await transaction(chain, executor, guardian, 0)
    return 'would be paused: the node takes the call of this key'
  }
  let trouble = new Error('it was not mined in time')
  for (let doublings = 0; performance.now() - startedAt < givenUpMs; doublings++) {
    try {
      const bytes = await transaction(chain, executor, guardian, doublings)
      await askAny(chain.urls, 'eth_sendRawTransaction', [bytes]) // every node gets it, and one must take it
    } catch (error) {
      trouble = error
      if (/not the guardian/.test(error.message)) throw error
    }
    for (const until = performance.now() + againMs; performance.now() < until; ) {
      if (await isPaused(chain.urls, executor).catch(() => false)) return `is paused after ${seconds()} s`
      await new Promise((resolve) => setTimeout(resolve, lookMs))
    }
  }
  throw trouble
}

const { executors, chains, guardian } = settings()
if (!guardian) {
  console.log('No GUARDIAN_PRIVATE_KEY is set. If the guardian is a multisig, let it send this on each chain, at once:')
  for (const executor of executors) console.log(`  to ${executor}  value 0  data ${stopData}`)
  process.exit(2)
}
const results = await Promise.all(
  chains.flatMap((chain) =>
    executors.map((executor) =>
      stopped(chain, executor, guardian).then(
        (sentence) => {
          console.log(`✓ ${chain.name}: the executor ${executor} ${sentence}.`)
          return true
        },
        (error) => {
          console.log(`✗ ${chain.name}: the executor ${executor} is NOT known to be paused: ${error.message}.`)
          return false
        },
      ),
    ),
  ),
)
const count = results.filter(Boolean).length
console.log(`${count} of ${results.length} ${isRehearsal ? 'could be stopped' : 'stopped'}.`)
process.exit(count === results.length ? 0 : 1)
