import type { components } from '../../clients/typescript/src/schema'

type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]
type Deposit = Schema<'Deposit'>
type Execution = Schema<'Execution'>
type Funds = Schema<'Funds'>
type Next = Schema<'Next'>

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913'
const arbitrumUsdc = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831'
export const depositAddress = '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C'
const hashOf = (n: number) => `0x${n.toString(16).padStart(64, '0')}`
export const idOf = (n: number): string => `8453:${hashOf(n)}:0`
const nobody = {
  actor: 'NOBODY',
  action: 'NONE',
  expectedAt: null,
  by: null,
  message: 'Done.',
  executionId: null,
} as const

export const next = (change: Partial<Next>): Next => ({ ...nobody, ...change })
export const following = (n: number): Next => next({ action: 'FOLLOW', executionId: idOf(n) })
export const funds = (change: Partial<Funds>): Funds => ({
  holder: 'DEPOSIT_ACCOUNT',
  address: depositAddress,
  chainId: 8453,
  chainKey: 'base',
  tokenAddress: usdc,
  tokenSymbol: 'USDC',
  tokenDecimals: 6,
  amount: '25000000',
  blockNumber: 9,
  refund: false,
  ...change,
})
const delivered = funds({ holder: 'RECIPIENT', chainId: 42161, chainKey: 'arbitrum', amount: '23736063' })

export const depositOf = (n: number, change: Partial<Deposit> = {}): Deposit => ({
  id: idOf(n),
  userId: 'any',
  depositAddress,
  stage: 'ROUTED',
  fromChainId: 8453,
  fromChainKey: 'base',
  fromTokenSymbol: 'USDC',
  fromTokenAddress: usdc,
  fromTokenDecimals: 6,
  toChainId: 42161,
  toTokenAddress: arbitrumUsdc,
  amountIn: `${n}000000`,
  fromAddress: null,
  depositTxHash: hashOf(n),
  logIndex: 0,
  blockNumber: 9,
  confirmations: 10,
  confirmationsRequired: 10,
  detectedBy: ['SCANNER'],
  executionId: idOf(n),
  funds: funds({}),
  next: nobody,
  seq: 1,
  createdAt: '2026-11-21T10:00:02.118Z',
  confirmedAt: null,
  updatedAt: '2026-11-21T10:00:25.310Z',
  traceId: '0'.repeat(32),
  ...change,
})

export const deliveredDeposit = depositOf(25, { funds: delivered })

/** The execution that the deposit names, with its `funds` and `next`. */
export const executionOf = ({ executionId, ...deposit }: Deposit, status: Execution['status'], ended = true) => ({
  id: executionId!,
  status,
  completedAt: ended ? '2026-11-21T10:01:25.310Z' : null,
  destinationTxHash: deposit.funds.holder === 'RECIPIENT' ? hashOf(0xabc) : null,
  funds: deposit.funds,
  next: deposit.next,
})
type Shown = ReturnType<typeof executionOf>

/** Stands in for an installation with one user. Tests set its deposits and executions, and refuse its key. */
export function fakeApi() {
  const world = { deposits: [] as Deposit[], executions: [] as Shown[], isKeyRevoked: false }
  const streams = new Set<ReadableStreamDefaultController>()
  const accepts = [
    { fromTokenSymbol: 'USDC', fromChainKey: 'base', fromTokenDecimals: 6, minimumAmountIn: '73728' },
    { fromTokenSymbol: 'SY-NOPRICE', fromChainKey: 'base', fromTokenDecimals: 6, minimumAmountIn: null },
    { fromTokenSymbol: 'USDC', fromChainKey: 'ethereum', fromTokenDecimals: 6, minimumAmountIn: '2400001' },
  ].map((token, n) => ({ ...token, acceptsDeposits: true, paymentUri: `ethereum:${usdc}@${8453 + n}` }))
  const chain = (chainKey: string, name: string) => ({ chainKey, name, explorerUrl: `https://${chainKey}.invalid` })
  const bodies: Record<string, () => unknown> = {
    '/api/chains': () => [chain('base', 'Base'), chain('ethereum', 'Ethereum'), chain('arbitrum', 'Arbitrum')],
    '/api/deposits': () => world.deposits,
    '/api/executions': () => world.executions,
  }
  const intents: Record<string, unknown>[] = []
  const refused = (status: number, code: string) =>
    Response.json({ statusCode: status, message: code, error: code }, { status, headers: { 'x-error-code': code } })
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (world.isKeyRevoked) return refused(401, 'INVALID_API_KEY')
      if (pathname === '/api/events/stream') return stream()
      if (pathname === '/api/deposit-intents') {
        intents.push((await request.json()) as Record<string, unknown>)
        return Response.json({ depositAddress })
      }
      if (pathname.endsWith('/deposit-address'))
        return Response.json({
          depositAddress,
          hasIntent: true,
          targetTokenSymbol: 'USDC',
          targetChainKey: 'arbitrum',
          accepts,
          notices: ['Mind the gas.'],
        })
      const id = decodeURIComponent(pathname.replace('/api/executions/', ''))
      const one = world.executions.find((execution) => execution.id === id)
      if (one) return Response.json(one)
      const body = bodies[pathname]
      return body ? Response.json(body()) : refused(404, 'EXECUTION_NOT_FOUND')
    },
  })
  function stream() {
    let own: ReadableStreamDefaultController
    const body = new ReadableStream({
      start(controller) {
        own = controller
        streams.add(controller)
        controller.enqueue('retry: 100\n\n')
      },
      cancel: () => void streams.delete(own),
    })
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
  }
  let events = 0
  function emit(userId: string) {
    const event = { id: `evt_${++events}`, type: 'deposit.confirmed', data: { userId } }
    for (const each of streams)
      each.enqueue(`id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  }
  return {
    url: `http://127.0.0.1:${server.port}`,
    intents,
    /** Replaces the user's deposits, each with its executions, and emits an event. */
    set(pairs: readonly (readonly [Deposit, ...Shown[]])[], userId = String(intents.at(-1)?.['userId'])) {
      world.deposits = pairs.map(([deposit]) => deposit)
      world.executions = pairs.flatMap(([, ...executions]) => executions)
      emit(userId)
    },
    /** Ends every stream and answers 401 from now on. */
    revokeKey() {
      world.isKeyRevoked = true
      for (const each of streams) each.close()
      streams.clear()
    },
    acceptKey() {
      world.isKeyRevoked = false
    },
    stop: () => server.stop(true),
  }
}
