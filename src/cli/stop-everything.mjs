#!/usr/bin/env node
// Pauses the executor on every chain. This file shares no code with the service, because nothing else might be
// trustworthy in an emergency. It needs Node, viem, the URLs of nodes, the executor's address and the guardian's key.
// It also runs alone: node src/cli/stop-everything.mjs. Only the admin can end the pause, after two days.
import { readFileSync } from 'node:fs'
import { privateKeyToAccount } from 'viem/accounts'
import { encodeFunctionData, formatEther, parseAbi, toHex } from 'viem/utils'

/** A test compares these with the service's table. A chain that is not paused must be reported. */
const networks = {
  mainnet: { base: 8453, ethereum: 1, polygon: 137, arbitrum: 42161, avalanche: 43114 },
  testnet: { base: 84532, ethereum: 11155111, polygon: 80002, arbitrum: 421614, avalanche: 43113 },
}
const network = process.env.NETWORK || 'mainnet'
const chainIds = Object.hasOwn(networks, network) ? networks[network] : refuse('NETWORK must be mainnet or testnet.')

const requestMs = 3_000
const pollMs = 300
/** A transaction that is not mined within this time is sent again with twice the fee. */
const againMs = 3_000
const gasIfUnknown = 1_500_000n
/** Minimum tip. It makes the transaction worth including on every chain. */
const tipLeastWei = 30n * 10n ** 9n
/** A rehearsal requires coin for this multiple of the first fee. */
const reserve = 4n

const usage = `Usage: stop-everything [--rehearse] [--without <chain>]... [--seconds <count>]

Pauses the executor on every chain with the guardian’s key.
  --rehearse         only find out whether it would work; sends nothing
  --without <chain>  leave a chain out on purpose
  --seconds <count>  how long to keep trying (default: 60)
Variables: NETWORK, ROUTE_EXECUTOR_ADDRESS, FORMER_EXECUTOR_ADDRESSES, RPC_URL_…, GUARDIAN_PRIVATE_KEY or GUARDIAN_PRIVATE_KEY_FILE`

const abi = parseAbi(['function stop(uint8 what, bytes32 key)', 'function paused() view returns (bool)'])
/** The first item of `stop` is everything. */
const stopData = encodeFunctionData({ abi, functionName: 'stop', args: [0, toHex(0, { size: 32 })] })
const pausedData = encodeFunctionData({ abi, functionName: 'paused' })

function refuse(sentence) {
  console.error(sentence)
  process.exit(2)
}

/** Refuses any option that it does not understand: a typing error must not pause five chains. */
function optionsIn(words) {
  const given = { isRehearsal: false, without: [], seconds: 60 }
  for (let n = 0; n < words.length; n++) {
    const word = words[n]
    if (word === '--help' || word === '-h') {
      console.log(usage)
      process.exit(0)
    } else if (word === '--rehearse') given.isRehearsal = true
    else if (word === '--without' && Object.hasOwn(chainIds, words[n + 1])) given.without.push(words[++n])
    else if (word === '--seconds' && /^[1-9]\d{0,4}$/.test(words[n + 1] ?? '')) given.seconds = Number(words[++n])
    else refuse(`"${word}" is not understood, so nothing was stopped.\n\n${usage}`)
  }
  return given
}

function settingsIn(env) {
  const addresses = (text) =>
    (text ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== '')
  // A node at ws:// or wss:// only pushes new blocks.
  const nodesIn = (text) => addresses(text).filter((url) => !/^wss?:/i.test(url))
  const isAddress = (text) => /^0x[0-9a-fA-F]{40}$/.test(text)
  const [current, ...more] = addresses(env.ROUTE_EXECUTOR_ADDRESS)
  const former = addresses(env.FORMER_EXECUTOR_ADDRESSES)
  if (!current || more.length > 0 || !isAddress(current))
    refuse('ROUTE_EXECUTOR_ADDRESS must be the address of the executor.')
  if (!former.every(isAddress)) refuse('FORMER_EXECUTOR_ADDRESSES must be addresses with commas between them.')
  const chains = Object.keys(chainIds).map((name) => ({ name, urls: nodesIn(env[`RPC_URL_${name.toUpperCase()}`]) }))
  const path = env.GUARDIAN_PRIVATE_KEY_FILE
  const text = path ? readKey(path) : env.GUARDIAN_PRIVATE_KEY || undefined
  if (text !== undefined && !/^0x[0-9a-fA-F]{64}$/.test(text))
    refuse(
      `GUARDIAN_PRIVATE_KEY${path ? '_FILE' : ''} must hold a private key: 0x and 64 digits. Keystores are not read here.`,
    )
  return {
    executors: [current, ...former],
    former,
    chains,
    guardian: text === undefined ? null : privateKeyToAccount(text),
  }
}

function readKey(path) {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return refuse('The file that GUARDIAN_PRIVATE_KEY_FILE names cannot be read.')
  }
}

const unreachable = 'none of its nodes responds'
const absent = 'has no code there, so there is nothing to stop'

/** Queries one node. Its errors omit the URL, which might contain a key. */
async function ask(url, method, params) {
  let answer
  try {
    const target = new URL(url)
    const headers = { 'content-type': 'application/json' }
    if (target.username) {
      headers.authorization = `Basic ${btoa(`${decodeURIComponent(target.username)}:${decodeURIComponent(target.password)}`)}`
      target.username = target.password = ''
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const signal = AbortSignal.timeout(requestMs)
    answer = await (await fetch(target, { method: 'POST', headers, body, signal })).json()
  } catch {
    throw new Error(unreachable)
  }
  if (answer.error) throw new Error(`the node refuses: ${String(answer.error.message).slice(0, 120)}`)
  return answer.result
}

/** Returns the first response of any node, or throws the most informative refusal. */
const askAny = (urls, method, params) =>
  Promise.any(urls.map((url) => ask(url, method, params))).catch(({ errors = [] }) => {
    throw errors.find(({ message }) => message !== unreachable) ?? errors[0] ?? new Error(unreachable)
  })

/** Returns the nodes of the right chain. A node of another chain must neither be trusted nor stop the others. */
async function ownNodes({ name, urls }) {
  if (urls.length === 0) throw new Error(`RPC_URL_${name.toUpperCase()} is not set`)
  const ids = await Promise.allSettled(urls.map((url) => ask(url, 'eth_chainId', [])))
  const others = ids.flatMap(({ value }, n) => (value !== undefined && Number(value) !== chainIds[name] ? [n] : []))
  for (const n of others)
    console.log(`  ${name}: node ${n + 1} belongs to chain ${Number(ids[n].value)} and is left out.`)
  const own = urls.filter((_, n) => !others.includes(n))
  if (own.length === 0) throw new Error(`RPC_URL_${name.toUpperCase()} names none of its nodes`)
  if (ids.every(({ status }) => status === 'rejected')) throw new Error(unreachable)
  return own
}

/** Whether every node that responds confirms it. One lagging or false node must not end the alarm. */
async function isPaused(urls, executor, { former }) {
  const call = { to: executor, data: pausedData }
  const said = await Promise.allSettled(urls.map((url) => ask(url, 'eth_call', [call, 'latest'])))
  const answers = said.filter(({ status }) => status === 'fulfilled').map(({ value }) => String(value))
  const isWord = (answer) => /^0x[0-9a-f]{64}$/i.test(answer)
  // A former executor was never deployed on a chain that was added later.
  if (former.includes(executor) && answers.length > 0 && answers.every((answer) => answer === '0x')) return absent
  if (answers.length > 0 && !answers.some(isWord)) throw new Error('there is no executor at that address')
  return answers.length > 0 && answers.every((answer) => isWord(answer) && BigInt(answer) === 1n)
}

/** Returns gas, fees and nonce for the transaction, and the guardian's balance. */
async function terms(urls, executor, guardian, doublings) {
  const call = { from: guardian.address, to: executor, data: stopData }
  const [block, tip, balance, gas] = await Promise.all([
    askAny(urls, 'eth_getBlockByNumber', ['latest', false]),
    askAny(urls, 'eth_maxPriorityFeePerGas', []).catch(() => '0x0'),
    askAny(urls, 'eth_getBalance', [guardian.address, 'latest']).then(BigInt),
    askAny(urls, 'eth_estimateGas', [call]).then(
      (estimated) => 2n * BigInt(estimated),
      (error) => {
        if (/revert/i.test(error.message)) throw new Error('the executor refuses this key, or this is not the executor')
        return gasIfUnknown
      },
    ),
  ])
  const factor = 2n ** BigInt(doublings)
  const tipWanted = factor * (BigInt(tip) > tipLeastWei ? BigInt(tip) : tipLeastWei)
  return { gas, balance, tipWanted, feeWanted: 4n * factor * BigInt(block.baseFeePerGas ?? 0) + tipWanted }
}

/** Signs with a lower fee if the balance requires it: that might still be enough. */
function signed(name, executor, guardian, nonce, { gas, balance, tipWanted, feeWanted }) {
  const affordable = balance / gas
  const maxFeePerGas = feeWanted < affordable ? feeWanted : affordable
  if (maxFeePerGas === 0n) throw new Error(`${guardian.address} has no coin there`)
  return guardian.signTransaction({
    type: 'eip1559',
    chainId: chainIds[name],
    nonce,
    to: executor,
    data: stopData,
    value: 0n,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas: tipWanted < maxFeePerGas ? tipWanted : maxFeePerGas,
  })
}

async function rehearsed(urls, executor, { guardian, former }) {
  const paused = await isPaused(urls, executor, { former })
  if (paused) return paused === absent ? absent : 'is already paused'
  const { gas, balance, feeWanted } = await terms(urls, executor, guardian, 0)
  const wanted = reserve * gas * feeWanted
  if (balance < wanted)
    throw new Error(`${guardian.address} has ${formatEther(balance)} coin there and needs ${formatEther(wanted)}`)
  return 'would be paused'
}

/** Sends until every executor of a chain is paused, and calls `report` for each of them. */
async function stopped({ name }, urls, { executors, former, guardian, givenUpMs }, report) {
  const startedAt = performance.now()
  const isLate = () => performance.now() - startedAt > givenUpMs
  let open = executors
  const trouble = new Map()
  const drop = async (say) => {
    const still = []
    for (const executor of open) {
      const paused = await isPaused(urls, executor, { former }).catch((error) => void trouble.set(executor, error))
      if (paused) report(executor, paused === absent ? absent : say())
      else still.push(executor)
    }
    open = still
  }
  await drop(() => 'was already paused')
  for (let doublings = 0; open.length > 0 && !isLate(); doublings++) {
    // The mined nonce, to replace the guardian's pending transactions.
    const first = await askAny(urls, 'eth_getTransactionCount', [guardian.address, 'latest']).catch(() => null)
    for (const [n, executor] of first === null ? [] : open.entries())
      try {
        const asked = await terms(urls, executor, guardian, doublings)
        const bytes = await signed(name, executor, guardian, Number(first) + n, asked)
        await askAny(urls, 'eth_sendRawTransaction', [bytes]) // sent to every node; one must accept it
        trouble.delete(executor)
      } catch (error) {
        trouble.set(executor, error)
      }
    if (open.every((executor) => /refuses this key/.test(trouble.get(executor)?.message))) break
    for (const until = performance.now() + againMs; open.length > 0 && performance.now() < until; ) {
      await new Promise((resolve) => setTimeout(resolve, pollMs))
      await drop(() => `is paused after ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
    }
  }
  for (const executor of open) report(executor, null, trouble.get(executor) ?? new Error('it was not mined in time'))
}

const { isRehearsal, without, seconds } = optionsIn(process.argv.slice(process.argv[2] === 'stop-everything' ? 3 : 2))
const { executors, former, chains, guardian } = settingsIn(process.env)
if (!guardian) {
  console.log(
    'No GUARDIAN_PRIVATE_KEY is set. If the guardian is a multisig, let it send this on each chain immediately:',
  )
  for (const executor of executors) console.log(`  to ${executor}  value 0  data ${stopData}`)
  process.exit(2)
}
const wanted = chains.filter(({ name }) => !without.includes(name))
/** The former executors that no chain is known to have: they could be misspelt. */
const nowhere = new Set(without.length === 0 ? former : [])
let good = 0
const failed = isRehearsal ? 'could NOT be stopped' : 'is NOT known to be paused'
await Promise.all(
  wanted.map(async (chain) => {
    const report = (executor, sentence, error) => {
      if (sentence) good += 1
      if (sentence !== absent) nowhere.delete(executor)
      const end = sentence ?? `${failed}: ${error.message}`
      console.log(`${sentence ? '✓' : '✗'} ${chain.name}: the executor ${executor} ${end}.`)
    }
    try {
      const urls = await ownNodes(chain)
      if (!isRehearsal)
        return await stopped(chain, urls, { executors, former, guardian, givenUpMs: seconds * 1_000 }, report)
      for (const executor of executors)
        await rehearsed(urls, executor, { guardian, former }).then(
          (sentence) => report(executor, sentence),
          (error) => report(executor, null, error),
        )
    } catch (error) {
      for (const executor of executors) report(executor, null, error)
    }
  }),
)
const count = wanted.length * executors.length
console.log(`${good} of ${count} ${isRehearsal ? 'are paused or could be' : 'stopped'}.`)
for (const name of without) console.log(`${name} was left out on purpose.`)
for (const executor of nowhere) console.log(`✗ the former executor ${executor} has no code on any chain.`)
process.exit(good === count && nowhere.size === 0 ? 0 : 1)
