import { afterAll, beforeAll, expect } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Connection } from 'mongoose'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { getAddress, parseEther, toHex } from 'viem/utils'
import { hmacSeals } from '../../src/adapters/hmac-seals'
import { connectMongo } from '../../src/adapters/mongo/engine/connection'
import { type MongoStore, mongoStore } from '../../src/adapters/mongo/mongo-store'
import { remoteSigner } from '../../src/adapters/signer/remote-signer'
import type { TlsFiles } from '../../src/adapters/signer/signer-access'
import { accounts } from '../../src/devnet/chains/accounts'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { type Devnet, startDevnet } from '../../src/devnet/devnet'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { freePort } from '../../src/devnet/servers/free-port'
import { startNats } from '../../src/devnet/servers/nats'
import type { Server } from '../../src/devnet/servers/server'
import { type ChainKey, chainKeys, chains, network } from '../../src/domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../src/domain/chain/hex'
import { sealedForSaving } from '../../src/domain/seals'
import { orderCall, orderDigest, type Terms } from '../../src/protocols/executor/signed-order'
import { signableOf } from '../../src/signer/policy-signer'
import { authority } from '../support/certificates'
import { isNightly, nightly } from '../support/depth'
import { stepsOfPage } from '../support/numbered-page'
import { pageShell, type Variables } from '../support/page-shell'
import { replacedIn } from '../support/replaced-keys'
import { mongoUrl } from '../support/servers'
import { temporaryFolder } from '../support/temporary-folder'
import { until } from '../support/until'

/**
 * Leads a new operator through the page with its own commands. The nodes, the providers and the tokens are stand-ins.
 * The contracts are those that the page deploys, and no process has a key from this repository. With NETWORK=testnet it
 * is the rehearsal at the start of the page (`live-testnet.test.ts`).
 */
const root = join(import.meta.dir, '..', '..')
const dir = temporaryFolder('live')
const pagePath = join(root, 'docs/operations/install.md')
const usd = 1_000_000n
/** The recipient on the page. */
const recipient = '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115'
/** Daily cap of USDC on Base in the page's file. */
const capRaw = 50_000n * usd
/** USDC sent from each chain, large enough that Ethereum's gas is a small part of it. */
const firstRaw = 100n * usd
const isTestnet = network === 'testnet'
const thief = getAddress('0x00000000000000000000000000000000000bad02')

let page: Map<number, string[]>
let devnet: Devnet
let nats: Server
const nodes = {} as Record<ChainKey, Rpc>
const keys: Record<string, { key: Hex; account: PrivateKeyAccount }> = {}
const addressOf = (who: string) => keys[who]!.account.address
/** In every shell and process, as at the start of the page. */
const shell = pageShell(dir, { PATH: process.env['PATH'] ?? '', ...(isTestnet && { NETWORK: network }) })
const { carriedOut, running, started } = shell
/** Creates a key with the page's command. */
async function newKey(): Promise<(typeof keys)[string]> {
  const key = `0x${(await carriedOut(page.get(1)![0]!, {})).out.trim()}` as Hex
  return { key, account: privateKeyToAccount(key) }
}

beforeAll(async () => {
  if (!isNightly) return
  mkdirSync(join(dir, 'state'))
  page = await stepsOfPage(pagePath)
  const [started, natsStarted] = await Promise.all([
    startDevnet({ dir: join(dir, 'state'), isEmpty: true, watchesAll: false, webhookUrl: 'http://127.0.0.1:1' }),
    startNats({ dataDir: join(dir, 'nats'), port: await freePort() }),
  ])
  devnet = started
  nats = natsStarted
  for (const { key, rpcUrl } of Object.values(devnet.chains)) nodes[key] = new Rpc(rpcUrl)
})
afterAll(async () => {
  await shell.stop()
  await Promise.all([devnet?.stop(), nats?.stop()])
})

const onAll = (method: string, ...params: unknown[]) =>
  Promise.all(chainKeys.map((key) => nodes[key].ask(method as never, ...(params as never[]))))
/** The balances that `plan` requires by chain: of the deployer, or of the holders together. */
const fundsIn = (said: string, who: 'the deployer' | 'the holders') =>
  [...said.matchAll(new RegExp(`${who}(?: needs)? (?:about )?(\\S+) [A-Z]+`, 'g'))].map(([, coins]) => coins!)

let rpc: Variables
let printed: Variables
let common: Variables
let ofRole: Record<'api' | 'worker' | 'scanner' | 'signer', Variables>
let api: string
let apiKey: string
let certificates: TlsFiles
let connection: Connection
let store: MongoStore

nightly('1 to 3: keys are created with the page’s command, and their addresses fill in its file', async () => {
  const names = ['deployer', 'admin', 'guardian', 'recovery', 'liveAdmin', 'liveGuardian', 'liveRecovery']
  for (const name of [...names, 'relayer', 'signer', 'collector', 'mac', 'access']) keys[name] = await newKey()
  const example = isTestnet ? 'deployment.testnet.example.json' : 'deployment.example.json'
  const file = (await Bun.file(join(root, 'contracts', example)).json()) as Record<string, unknown>
  const holders = (prefix: string) =>
    Object.fromEntries(
      ['admin', 'guardian', 'recovery'].map((role) => [
        role,
        addressOf(prefix ? `${prefix}${role[0]!.toUpperCase()}${role.slice(1)}` : role),
      ]),
    )
  const filled = {
    ...file,
    holders: { genesis: holders(''), live: holders('live') },
    relayers: [addressOf('relayer')],
    signers: [addressOf('signer')],
    collectors: [addressOf('collector')],
    relaySolver: accounts.relaySolver.address,
  }
  writeFileSync(join(dir, 'deployment.json'), JSON.stringify(filled))
  rpc = Object.fromEntries(
    Object.values(devnet.chains).map(({ key, rpcUrl }) => [`RPC_URL_${key.toUpperCase()}`, rpcUrl]),
  )
  expect(Object.keys(rpc)).toHaveLength(5)
})

nightly('4: the balances from the plan are enough to deploy on all five chains', async () => {
  const [block] = page.get(4)!
  const [plan, deploy, settings] = block!.split('\n')
  const { said, code } = await carriedOut(plan!, rpc)
  expect([code, said.match(/as simulated by its node/g)?.length, said.includes('✗')]).toEqual([0, 5, false])
  const [ofDeployer, ofHolders] = [fundsIn(said, 'the deployer'), fundsIn(said, 'the holders')]
  await Promise.all(
    chainKeys.flatMap((key, n) => [
      nodes[key].ask('anvil_setBalance', addressOf('deployer'), toHex(parseEther(ofDeployer[n]!))),
      ...['admin', 'guardian', 'recovery', 'liveAdmin', 'liveGuardian', 'liveRecovery'].map((who) =>
        nodes[key].ask('anvil_setBalance', addressOf(who), toHex(parseEther(ofHolders[n]!))),
      ),
    ]),
  )
  const holding = { ...rpc, HOLDER_PRIVATE_KEYS: keys['admin']!.key }
  const deployed = await carriedOut(deploy!, { ...holding, DEPLOYER_PRIVATE_KEY: keys['deployer']!.key })
  expect(deployed.said.match(/install the executor is possible from/g)).toHaveLength(5)
  printed = Object.fromEntries(
    [...deployed.said.matchAll(/^([A-Z_]+)=(\S+)$/gm)].map(([, name, value]) => [name!, value!]),
  )
  expect(Object.keys(printed)).toHaveLength(7)
  const { said: changed } = await carriedOut(settings!, holding)
  expect(changed.match(/schedule the largest native fee/g)).toHaveLength(2)
})

nightly('5: the contracts are installed three days later, handed over, and match the file', async () => {
  await onAll('evm_increaseTime', 3 * 86_400 + 60)
  await onAll('evm_mine')
  const [block] = page.get(5)!
  const [deploy, settings, handover, status, verify] = block!.split('\n')
  const holding = (...names: string[]) => ({
    ...rpc,
    HOLDER_PRIVATE_KEYS: names.map((name) => keys[name]!.key).join(),
  })
  expect((await carriedOut(deploy!, holding('admin'))).code).toBe(0)
  const { said: changed } = await carriedOut(settings!, holding('admin'))
  expect(changed.match(/: apply the largest native fee, 0x/g)).toHaveLength(2)
  const ends = []
  for (const names of [
    ['admin', 'guardian'],
    ['admin', 'liveRecovery'],
    ['liveGuardian', 'liveRecovery'],
  ])
    ends.push((await carriedOut(handover!, holding(...names))).code)
  expect(ends).toEqual([1, 1, 0])
  const stands = await carriedOut(status!, rpc)
  expect([stands.code, stands.said.match(/✓ matches the file/g)?.length]).toEqual([0, 5])
  expect((await carriedOut(verify!, rpc)).code).toBe(0)
  await onAll('anvil_setTime', Math.floor(Date.now() / 1_000))
  await onAll('evm_mine')
})

nightly('6: the signer starts with the printed variables, and the doctor finds nothing bad', async () => {
  const stand = devnet.serviceEnv()
  const outside = Object.keys(stand).filter((name) =>
    // LI.FI serves no test network.
    (isTestnet
      ? /^RELAY_(URL|PRICES_URL|REQ)|^CONFIRM/
      : /^(LIFI|RELAY)_(URL|PRICES_URL|REQ)|^(TOKEN_LIST|CONFIRM)/
    ).test(name),
  )
  common = {
    ...Object.fromEntries(outside.map((name) => [name, stand[name]!])),
    ...{ ...rpc, ...printed, RELAY_SOLVER_ADDRESS: accounts.relaySolver.address, SHUTDOWN_DELAY_MS: '0' },
    ...{ CHAIN_POLL_MS: '250', SWEEP_MS: '500' },
  }
  const servers = { MONGODB_URL: await mongoUrl(), NATS_URL: nats.url }
  const listen = `127.0.0.1:${await freePort()}`
  const access = { SIGNER_ACCESS_KEY: keys['access']!.key }
  const certificate = await authority(dir, 'private')
  certificates = await certificate('worker')
  const showing = ({ certFile, keyFile, caFile }: TlsFiles) => ({
    SIGNER_TLS_CERT_FILE: certFile,
    SIGNER_TLS_KEY_FILE: keyFile,
    SIGNER_TLS_CA_FILE: caFile,
  })
  ofRole = {
    signer: {
      ...{ ...common, ...access, ROLES: 'signer', SIGNER_LISTEN: listen, SIGNER_LOG_PATH: join(dir, 'signing.log') },
      ...{ ROUTE_SIGNER_PRIVATE_KEY: keys['signer']!.key, INTENT_MAC_KEY: keys['mac']!.key },
      ...showing(await certificate('signer')),
    },
    worker: {
      ...{ ...common, ...servers, ...access, ROLES: 'worker', SIGNER_URL: `https://${listen}` },
      ...{ RELAYER_PRIVATE_KEYS: keys['relayer']!.key, ...showing(certificates) },
    },
    scanner: { ...common, ...servers, ROLES: 'scanner' },
    api: { ...common, ...servers, ROLES: 'api', INTENT_MAC_KEY: keys['mac']!.key },
  }
  await onAll('anvil_setBalance', addressOf('relayer'), toHex(parseEther('10')))
  const [start, doctor] = page.get(6)!
  await started(start!, ofRole.signer)
  const { said, code } = await carriedOut(doctor!, ofRole.worker)
  expect([code, said.match(/^.*✗.*$/gm)]).toEqual([0, null])
})

nightly('7 to 10: a deposit of the first tenant is delivered by processes with one role each', async () => {
  const [start] = page.get(7)!
  const [first] = await Promise.all(
    (['api', 'worker', 'scanner'] as const).map((role) => started(start!, ofRole[role])),
  )
  api = first!
  const { MONGODB_URL } = ofRole.api
  const tenant = await carriedOut(page.get(8)![0]!, { MONGODB_URL: MONGODB_URL! }, 'echo "KEY=$KEY"')
  apiKey = /^KEY=(\S+)$/m.exec(tenant.out)![1]!

  const [alarm] = page.get(9)!
  const guardian = { ...rpc, ROUTE_EXECUTOR_ADDRESS: printed['ROUTE_EXECUTOR_ADDRESS']! }
  await onAll('anvil_setBalance', addressOf('liveGuardian'), toHex(parseEther('10')))
  const withKey = { ...guardian, GUARDIAN_PRIVATE_KEY: keys['liveGuardian']!.key }
  expect(await carriedOut(alarm!, withKey)).toMatchObject({ code: 0, said: expect.stringContaining('5 of 5') })

  const [ask] = page.get(10)!
  const [intend, see] = ask!.split(/\n(?=curl)/)
  const env = { API: api, KEY: apiKey }
  const intent = JSON.parse((await carriedOut(onThisNetwork(intend!), env)).out) as { depositAddress: Hex }
  const before = await devnet.balanceOf('arbitrum', 'USDC', recipient)
  const sources = chainKeys
  for (const chainKey of sources)
    await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: firstRaw, to: intent.depositAddress })
  const delivered = await until(
    'the deposits from these chains are delivered',
    async (note) => {
      const { out } = note(await carriedOut(see!, env))
      const found = (JSON.parse(out) as { status: string; fromChainId: number }[]).filter(
        ({ status }) => status === 'SUCCESS',
      )
      return found.length === sources.length ? found : null
    },
    { everyMs: 1_000 },
  )
  expect(delivered.map(({ fromChainId }) => fromChainId).toSorted()).toEqual(
    sources.map((key) => chains[key].id).toSorted(),
  )
  const got = (await devnet.balanceOf('arbitrum', 'USDC', recipient)) - before
  expect(got).toBeGreaterThan((BigInt(sources.length) * firstRaw * 9n) / 10n)
})

/** The page's alternative for the test networks. */
function onThisNetwork(command: string): string {
  if (!isTestnet) return command
  const text = readFileSync(pagePath, 'utf8').replaceAll(/\s+/g, ' ')
  const [, chainId, token] = /on the test networks, use `(\d+)` and `(0x\w+)` instead/.exec(text)!
  return command
    .replace(/"targetChainId":\d+/, `"targetChainId":${chainId}`)
    .replace(/"targetTokenAddress":"0x\w+"/, `"targetTokenAddress":"${token}"`)
}

/** A user of the tenant, whose deposits go to their own recipient, with a function that sends on Base. */
async function newUser(userId: string) {
  const body = {
    userId,
    targetChainId: chains.arbitrum.id,
    targetTokenAddress: tokenOf(chains.arbitrum.id, 'USDC')!.address,
    targetAddress: recipient,
  }
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' }
  const answer = await fetch(`${api}/api/deposit-intents`, { method: 'POST', headers, body: JSON.stringify(body) })
  const { depositAddress: account } = (await answer.json()) as { depositAddress: Address }
  const send = (amountRaw: bigint) => devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw, to: account })
  return { userId, account, send }
}
/** The record of a user's deposit on Base. */
const recordOf = async (userId: string) => {
  const from = { userId, 'deposit.chainId': chains.base.id }
  const found = await connection.db!.collection<{ _id: string }>('executions').findOne(from)
  return found && store.executions.load(found._id)
}
const stolen = () => devnet.balanceOf('arbitrum', 'USDC', thief)

nightly(
  'a relayer and the route signer are replaced by the page about keys: the old ones end, and deposits continue',
  async () => {
    const keysPage = readFileSync(join(root, 'docs/operations/cluster.md'), 'utf8')
    const [show, change] = ['npx switchyard contracts settings', 'npx switchyard contracts settings --change']
    expect(keysPage).toContain(`    ${show}\n       ${change}\n`)
    const [before, after] = [...keysPage.matchAll(/^```json\n("settings": .*)\n```$/gm)].map(([, shown]) => shown!)
    const path = join(dir, 'deployment.json')
    const file = JSON.parse(readFileSync(path, 'utf8')) as { settings: object }
    const olds = { relayer: keys['relayer']!, signer: keys['signer']! }
    const news = { relayer: await newKey(), signer: await newKey() }
    const write = (shown: string) =>
      writeFileSync(path, JSON.stringify({ ...file, settings: { ...file.settings, ...replacedIn(shown, olds, news) } }))
    const ofAdmin = { ...rpc, HOLDER_PRIVATE_KEYS: keys['liveAdmin']!.key }

    // 1 and 2: scheduled, and applied two days later. No process notices the skipped days.
    write(before!)
    expect((await carriedOut(show, rpc)).said.match(/next, schedule the (relayer|signer)/g)).toHaveLength(10)
    expect((await carriedOut(change, ofAdmin)).said.match(/: schedule the (relayer|signer) /g)).toHaveLength(10)
    await shell.stop()
    await onAll('evm_increaseTime', 2 * 86_400 + 60)
    await onAll('evm_mine')
    expect((await carriedOut(change, ofAdmin)).said.match(/: apply the (relayer|signer) /g)).toHaveLength(10)
    await onAll('anvil_setTime', Math.floor(Date.now() / 1_000))
    await onAll('evm_mine')
    await onAll('anvil_setBalance', news.relayer.account.address, toHex(parseEther('10')))

    // 3: the new relayer first, and the signer's address before its key.
    const listed = [news, olds].map(({ relayer }) => relayer)
    const known = {
      RELAYER_ADDRESSES: listed.map(({ account }) => account.address).join(),
      SIGNER_ADDRESSES: [news, olds].map(({ signer }) => signer.account.address).join(),
    }
    for (const role of ['signer', 'worker', 'scanner', 'api'] as const) ofRole[role] = { ...ofRole[role], ...known }
    ofRole.worker = { ...ofRole.worker, RELAYER_PRIVATE_KEYS: listed.map(({ key }) => key).join() }
    ofRole.signer = { ...ofRole.signer, ROUTE_SIGNER_PRIVATE_KEY: news.signer.key }
    const restart = async () => {
      await shell.stop()
      await started(page.get(6)![0]!, ofRole.signer)
      const [first] = await Promise.all(
        (['api', 'worker', 'scanner'] as const).map((role) => started(page.get(7)![0]!, ofRole[role])),
      )
      api = first!
    }
    await restart()
    connection = await connectMongo(ofRole.api['MONGODB_URL']!)
    store = mongoStore(connection, 'live', Date.now)
    const delivered = async (userId: string) => {
      await (await newUser(userId)).send(firstRaw)
      await until('it is delivered', async (note) => note(await recordOf(userId))?.status === 'SUCCESS', {
        everyMs: 250,
      })
    }
    await delivered('with both')

    // 4: without the old ones, which the guardian revokes immediately.
    ofRole.worker = { ...ofRole.worker, RELAYER_PRIVATE_KEYS: news.relayer.key }
    const only = {
      RELAYER_ADDRESSES: news.relayer.account.address,
      SIGNER_ADDRESSES: news.signer.account.address,
    }
    for (const role of ['signer', 'worker', 'scanner', 'api'] as const) ofRole[role] = { ...ofRole[role], ...only }
    write(after!)
    const ofGuardian = { ...rpc, HOLDER_PRIVATE_KEYS: keys['liveGuardian']!.key }
    await onAll('anvil_setBalance', addressOf('liveGuardian'), toHex(parseEther('10')))
    await carriedOut(change, ofGuardian)
    await restart()
    expect((await carriedOut('npx switchyard contracts verify', rpc)).code).toBe(0)
    await delivered('with the new ones')
    Object.assign(keys, {
      relayer: news.relayer,
      signer: news.signer,
      oldRelayer: olds.relayer,
      oldSigner: olds.signer,
    })
  },
)

nightly('a thief of a worker with the access key and any record gets no signature for himself', async () => {
  const honest = (await recordOf('first'))!
  const { accountSalt } = (await store.accounts.load(honest.deposit.account))!
  const signer = { url: ofRole.worker['SIGNER_URL']!, accessKeys: [keys['access']!.key] }
  // The access key alone gives no connection, whatever the client trusts. A thief of the whole process also has the
  // certificate.
  const ca = readFileSync(certificates.caFile, 'utf8')
  const outside = await fetch(`${signer.url}/v1/verify`, { method: 'POST', body: '{}', tls: { ca } }).then(
    ({ status }) => `answered ${status}`,
    () => 'refused',
  )
  expect(outside).toBe('refused')
  const asks = remoteSigner({ now: Date.now, ...signer, tls: certificates })
  const tried = (facts: Partial<typeof honest.facts>) => {
    const execution = signableOf({ ...honest, facts: { ...honest.facts, ...facts } })
    const deadline = Math.floor(Date.now() / 1_000) + 100
    const asked = asks.sign({ execution, deadline, accountSalt, organization: null })
    return asked.then(
      () => 'signed',
      ({ code }) => code,
    )
  }
  const { intent, route } = honest.facts
  expect(await tried({ intent: { ...intent!, targetAddress: thief } })).toBe('INTENT_NOT_SEALED')
  expect(await tried({ route: { ...route!, call: { ...route!.call!, target: thief } } })).toBe('SIGNER_REFUSED')
  expect(await stolen()).toBe(0n)
})

nightly(
  'a thief of an API redirects only deposits that he seals, up to a quarter of the daily cap per hour and organization',
  async () => {
    const seals = hmacSeals([keys['mac']!.key])
    const amountRaw = 6_000n * usd
    const users = await Promise.all(['one', 'two', 'three'].map(newUser))
    for (const { account } of users) {
      const intent = (await store.intents.load(account))!
      expect(await store.intents.save(sealedForSaving(seals, { ...intent, targetAddress: thief }))).toBeTruthy()
    }
    const [one, two, three] = users
    for (const { userId, send } of [one!, two!]) {
      await send(amountRaw)
      await until('what he redirected is his', async (note) => note(await recordOf(userId))?.status === 'SUCCESS', {
        everyMs: 250,
      })
    }
    await three!.send(amountRaw)
    await until('the hour is full', async (note) => note(await recordOf('three'))?.facts.waiting?.for === 'SIGNER', {
      everyMs: 250,
    })
    expect(await devnet.balanceOf('base', 'USDC', three!.account)).toBe(amountRaw)
    const gained = await stolen()
    expect(gained).toBeGreaterThan((2n * amountRaw * 97n) / 100n)
    // SIGNER_HOURLY_PERCENT and SIGNER_ORGANIZATION_PERCENT are half each.
    expect(gained).toBeLessThanOrEqual(capRaw / 4n)
  },
)

nightly('a thief of both keys moves at most the daily cap without the signer', async () => {
  const worker = running.get('worker')!
  await worker.stop('SIGKILL')
  const { account, send } = await newUser('four')
  await send(60_000n * usd)
  await until('the deposit', async (note) => note(await devnet.balanceOf('base', 'USDC', account)) === 60_000n * usd)
  const spent = 3n * firstRaw + 12_000n * usd
  expect(await isPaid(account, capRaw - spent, 'signer', 'relayer')).toBe(true)
  expect(await isPaid(account, capRaw - spent + 1n, 'signer', 'relayer')).toBe(false)
  // Replaced keys move nothing, and neither does one of the two current keys.
  expect(await isPaid(account, usd, 'oldSigner', 'relayer')).toBe(false)
  expect(await isPaid(account, usd, 'signer', 'oldRelayer')).toBe(false)
  expect(await isPaid(account, usd, 'relayer', 'relayer')).toBe(false)
  expect(await isPaid(account, usd, 'signer', 'deployer')).toBe(false)
  await connection.close()
})

/** Whether the chain would carry out an order of this amount to the thief. */
async function isPaid(account: Address, amount: bigint, signedBy: string, sentBy: string): Promise<boolean> {
  const { id: chainId } = chains.base
  const executor = printed['ROUTE_EXECUTOR_ADDRESS'] as Address
  const token = tokenOf(chainId, 'USDC')!.address
  const { accountSalt } = (await store.accounts.load(account))!
  const { timestamp } = (await nodes.base.ask('eth_getBlockByNumber' as never, ...(['latest', false] as never[]))) as {
    timestamp: Hex
  }
  const terms: Terms = {
    ...{ routeId: toHex(7n, { size: 32 }), accountSalt, account, chainId, kind: 'DIRECT', token },
    ...{
      amountIn: `${amount}`,
      minSpent: `${amount}`,
      protocolFee: '0',
      gasFee: '0',
      collector: addressOf('collector'),
    },
    intent: { toChainId: chainId, tokenOut: token, recipient: thief, minOut: `${amount}` },
    ...{ target: zeroAddress, spender: zeroAddress, nativeFee: '0', data: '0x', minGas: '110000' },
    deadline: Number(timestamp) + 100,
  }
  const id = orderDigest(terms, { chainId, executor })
  const order = { ...terms, id, signature: await keys[signedBy]!.account.sign({ hash: id }), gasLimit: '1500000' }
  const call = { from: addressOf(sentBy), to: executor, data: orderCall(order), gas: toHex(1_500_000) }
  return nodes.base.ask('eth_call', call, 'latest').then(
    () => true,
    () => false,
  )
}

nightly('the stop command pauses all five chains', async () => {
  const [alarm] = page.get(9)!
  const env = {
    ...rpc,
    ROUTE_EXECUTOR_ADDRESS: printed['ROUTE_EXECUTOR_ADDRESS']!,
    GUARDIAN_PRIVATE_KEY: keys['liveGuardian']!.key,
  }
  const { said, code } = await carriedOut(alarm!.replace(' --rehearse', ''), env)
  expect([code, said.includes('5 of 5 stopped.')]).toEqual([0, true])
  const standing = await carriedOut(page.get(5)![0]!.split('\n')[3]!, rpc)
  expect(standing.said.match(/and it is PAUSED/g)).toHaveLength(5)
})
