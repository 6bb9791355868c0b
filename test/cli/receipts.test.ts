import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { assureSigned, formedReceipt, verifyReceipt } from '../../src/cli/receipts/verify'
import { zeroAddress } from '../../src/domain/chain/hex'
import type { ReceiptMessage } from '../../src/domain/execution/receipt'
import { receiptExample, receiptMessageExample } from '../../src/http/receipts/views'
import { addressOf, hashOf } from '../support/deposits'
import {
  nodeShowing,
  receiptKey,
  routeLog,
  signedReceipt,
  type TransactionShown,
  transferLog,
} from '../support/receipts'
import { temporaryFolder } from '../support/temporary-folder'
import { testAll } from '../support/test-all'

const message = receiptMessageExample
const { deposit } = message
const [spent] = message.spent as [NonNullable<ReceiptMessage['spent'][0]>]
const [delivered] = message.delivered as [NonNullable<ReceiptMessage['delivered'][0]>]
const [route] = message.route as [NonNullable<ReceiptMessage['route'][0]>]
const folder = temporaryFolder('receipts')

const proven = async (file: unknown): Promise<void> => assureSigned(formedReceipt(file), [receiptKey.address])
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'accepted',
    (error) => (error as Error).message,
  )

test('the receipt of the documentation is proven, and so is one whose fields are in another order', async () => {
  await proven(JSON.parse(JSON.stringify(receiptExample)))
  const turned = Object.fromEntries(Object.entries(receiptExample).toReversed())
  await proven({ ...turned, message: Object.fromEntries(Object.entries(message).toReversed()) })
})

/** The path of every value in a receipt that is neither an object nor a list. */
const pathsIn = (value: unknown, path: string[] = []): string[][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => pathsIn(inner, [...path, name]))
    : [path]
type Node = Record<string, unknown>

function changedAt(file: unknown, path: readonly string[], change: (value: unknown) => unknown): Node {
  const copy = structuredClone(file) as Node
  const parent = path.slice(0, -1).reduce((node, name) => node[name] as Node, copy)
  parent[path.at(-1)!] = change(parent[path.at(-1)!])
  return copy
}

const paths = pathsIn(receiptExample)
const otherThan = (value: unknown): fc.Arbitrary<unknown> => {
  const text = String(value)
  const turned = fc
    .tuple(fc.nat(text.length), fc.constantFrom(...'0123456789abcdefABCDEF xZ-'))
    .map(([at, digit]) => text.slice(0, at) + digit + text.slice(at + 1))
  const likely = [turned, fc.constantFrom('', '0', text.toUpperCase(), text.toLowerCase(), ` ${text}`, `0${text}`)]
  const forms = [fc.constant(null), fc.integer(), fc.boolean(), fc.constant([value]), fc.string(), fc.constant(text)]
  return fc.oneof(...likely, ...forms).filter((other) => other !== value)
}

test('a receipt with any changed field is not proven', () =>
  fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...paths).chain((path) => {
        const value = path.reduce<unknown>((node, name) => (node as Node)[name], receiptExample)
        return fc.tuple(fc.constant(path), otherThan(value))
      }),
      async ([path, other]) => {
        expect(await refusal(proven(changedAt(receiptExample, path, () => other)))).not.toBe('accepted')
      },
    ),
    { numRuns: 400, examples: paths.map((path): [[string[], unknown]] => [[path, 'x']]) },
  ))

test('a field that is added, removed or given twice is not proven', async () => {
  const every = [[], ['message'], ['message', 'deposit'], ['message', 'fees', '0'], ['message', 'spent', '0']]
  const changes = every.flatMap((path) => {
    const at = path.reduce<unknown>((node, name) => (node as Node)[name], receiptExample) as Node
    const without = Object.keys(at).map((name) => ({ ...at, [name]: undefined }))
    return [{ ...at, more: 1 }, ...without].map((other) =>
      path.length === 0 ? other : changedAt(receiptExample, path, () => other),
    )
  })
  for (const list of ['intent', 'fees', 'route', 'spent', 'delivered'])
    for (const change of [() => [], (value: unknown) => [...(value as unknown[]), ...(value as unknown[])]])
      changes.push(changedAt(receiptExample, ['message', list], change))
  for (const changed of changes) expect(await refusal(proven(changed))).not.toBe('accepted')
})

test('the other signature of the same key, with s in the upper half, is not proven', async () => {
  const receipt = await signedReceipt(message)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const s = (order - BigInt(`0x${receipt.signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
  const v = receipt.signature.endsWith('1b') ? '1c' : '1b'
  const other = { ...receipt, signature: `${receipt.signature.slice(0, 66)}${s}${v}` }
  expect(await refusal(proven(other))).toContain('signature is wrong')
})

testAll<[string, Partial<ReceiptMessage>, string]>([
  ['a SUCCESS without a delivery', { delivered: [] }, 'no delivery'],
  ['fees that do not add up', { fees: [{ ...message.fees[0]!, gasFee: '1' }] }, 'do not add up'],
  ['another recipient', { delivered: [{ ...delivered, recipient: addressOf(0x99) }] }, 'another recipient'],
  ['a delivery without spending', { spent: [] }, 'never left the account'],
  ['another token spent', { spent: [{ ...spent, token: addressOf(0x99) }] }, 'is not the deposit’s'],
])('a signed receipt that contradicts itself is refused', async (_, change, why) => {
  expect(await refusal(signedReceipt({ ...message, ...change }).then(proven))).toContain(why)
})

/** What the two chains show of the receipt of the documentation. */
const transfer = transferLog(deposit.token, addressOf(0x5e), deposit.account, 25_000_000n, 12)
const gone = transferLog(deposit.token, deposit.account, addressOf(0xb1), 25_000_000n)
const executed = routeLog(route.routeId, deposit.account, deposit.token, 25_000_000n)
const arrival = transferLog(delivered.token, addressOf(0xb2), delivered.recipient, 24_831_711n)
const onSource: Record<string, TransactionShown> = {
  [deposit.txHash[0]!]: { block: deposit.blockNumber, logs: [transfer] },
  [spent.txHash]: { block: spent.blockNumber, logs: [gone, executed] },
}
const onTarget: Record<string, TransactionShown> = {
  [delivered.txHash]: { block: delivered.blockNumber, logs: [arrival] },
}

const stops: (() => unknown)[] = []
afterAll(() => {
  for (const stop of stops) stop()
})

type Shown = { source?: Record<string, TransactionShown>; target?: Record<string, TransactionShown> }
async function online(receipt: ReceiptMessage, { source = onSource, target = onTarget }: Shown = {}): Promise<string> {
  const nodes = [nodeShowing(deposit.chainId, source), nodeShowing(delivered.chainId, target)]
  for (const { stop } of nodes) stops.push(stop)
  const file = join(folder, `${crypto.randomUUID()}.json`)
  await Bun.write(file, JSON.stringify(await signedReceipt(receipt), null, 2))
  const rpc = { base: nodes[0]!.url, arbitrum: nodes[1]!.url }
  return refusal(verifyReceipt(file, { signer: [receiptKey.address], online: true, rpc, timeout: 20 }))
}

test('--online accepts what both chains show', async () => expect(await online(message)).toBe('accepted'))

const planted = { ...message, delivered: [{ ...delivered, txHash: hashOf(0xbad) }] } as ReceiptMessage
const shown = (change: Partial<TransactionShown>): Record<string, TransactionShown> => ({
  [delivered.txHash]: { ...onTarget[delivered.txHash]!, ...change },
})
const left = (change: Partial<TransactionShown>): Record<string, TransactionShown> => ({
  ...onSource,
  [spent.txHash]: { ...onSource[spent.txHash]!, ...change },
})
testAll<[string, ReceiptMessage, Shown, string]>([
  ['a wrong delivery hash', planted, {}, 'arbitrum does not show the delivery. The chain has no transaction'],
  ['a delivery that failed', message, { target: shown({ failed: true }) }, 'failed'],
  ['a delivery in another block', message, { target: shown({ block: 5 }) }, 'is in block 5'],
  ['a delivery of nothing', message, { target: shown({ logs: [] }) }, 'did not deliver'],
  [
    'a delivery of one unit less',
    message,
    { target: shown({ logs: [transferLog(delivered.token, addressOf(0xb2), delivered.recipient, 24_831_710n)] }) },
    'did not deliver',
  ],
  [
    'a delivery of another token',
    message,
    { target: shown({ logs: [transferLog(addressOf(0x99), addressOf(0xb2), delivered.recipient, 24_831_711n)] }) },
    'did not deliver',
  ],
  ['spending by another route', message, { source: left({ logs: [gone] }) }, 'did not execute the route'],
  ['an event of a route that moved nothing', message, { source: left({ logs: [executed] }) }, '0 of'],
  [
    'a deposit that another address got',
    { ...message, deposit: { ...deposit, logIndex: [3] } },
    {},
    'base does not show the deposit',
  ],
])('--online finds what the chains do not show', async (_, receipt, chains, why) => {
  expect(await online(receipt, chains)).toContain(why)
})

test('--online reads native coin from the call that paid it', async () => {
  const native: ReceiptMessage = {
    ...message,
    intent: [{ ...message.intent[0]!, token: zeroAddress }],
    delivered: [{ ...delivered, token: zeroAddress }],
  }
  const paid = (value: bigint) => ({
    target: { [delivered.txHash]: { block: delivered.blockNumber, to: delivered.recipient, value } },
  })
  expect(await online(native, paid(24_831_711n))).toBe('accepted')
  expect(await online(native, paid(1n))).toContain('did not deliver')
})

test('only signers that the reader names are trusted', async () => {
  const file = join(folder, 'trusted.json')
  await Bun.write(file, JSON.stringify(receiptExample))
  const options = { rpc: {}, timeout: 20 }
  expect(await refusal(verifyReceipt(file, { ...options, signer: [] }))).toContain('--signer')
  expect(await refusal(verifyReceipt(file, { ...options, signer: [addressOf(1)] }))).toContain('not among the trusted')
  const service = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: ({ url }) =>
      new URL(url).pathname === '/.well-known/receipt-signers'
        ? Response.json({ signers: [{ address: receiptKey.address, current: false }] })
        : new Response(null, { status: 404 }),
  })
  stops.push(() => service.stop(true))
  const url = `http://127.0.0.1:${service.port}`
  expect(await refusal(verifyReceipt(file, { ...options, signer: [], url }))).toBe('accepted')
  expect(await refusal(verifyReceipt(file, { ...options, signer: [], url: `${url}/elsewhere` }))).toContain(
    'publishes no',
  )
})

test('a file that is no receipt is refused in one sentence', async () => {
  const options = { signer: [receiptKey.address], rpc: {}, timeout: 20 }
  const file = join(folder, 'none.json')
  for (const text of ['', '[]', 'null', '{}', '{"message":{}}', JSON.stringify({ ...receiptExample, types: {} })]) {
    await Bun.write(file, text)
    expect(await refusal(verifyReceipt(file, options))).toMatch(/^(The file is not JSON|This is not a receipt)/)
  }
  await Bun.write(file, JSON.stringify(receiptExample).replace('{', '{"signer":"0x",'))
  expect(await refusal(verifyReceipt(file, options))).toContain('in two ways')
  expect(await refusal(verifyReceipt(join(folder, 'missing.json'), options))).toContain('cannot be read')
})
