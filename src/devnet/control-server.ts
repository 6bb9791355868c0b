import { type ChainKey, chainKeys } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { BridgeSolver } from './bridge/bridge-solver'
import type { DevChain } from './chains/dev-chain'
import { sendDeposit } from './chains/faucet'
import { tokenOf } from './chains/tokens'
import { type Faults, faultTargets, isFaultTarget, kindsOf } from './faults'
import { outcomeOf, outcomes } from './outcomes'
import { isLimitedTarget, type LimitedTarget, limitedTargets, type RateLimits } from './rate-limits'

/** More blocks than the service waits for on any of these chains. */
export const blocksToConfirm = 4
const reorgDepthMax = 32

type ControlServer = { url: string; stop(): Promise<void> }

type World = { chains: ReadonlyMap<ChainKey, DevChain>; solver: BridgeSolver; faults: Faults; limits: RateLimits }

class RequestRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/**
 * Serves the devnet's controls: it sends deposits, switches faults on and off, and stops and reorganizes chains. It
 * needs no key and listens on loopback only.
 */
export async function startControlServer(world: World, port = 0): Promise<ControlServer> {
  for (const chain of world.chains.values()) await requireDevelopmentChain(chain)
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port,
    fetch: async (request) => {
      const [, resource = '', name = ''] = new URL(request.url).pathname.split('/').map(decodeURIComponent)
      try {
        return await answer(world, `${request.method} ${resource}`, name, request)
      } catch (error) {
        if (error instanceof RequestRefusal) return refused(error.status, error.message)
        return refused(500, (error as Error).message)
      }
    },
  })
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

const refused = (statusCode: number, message: string): Response =>
  Response.json({ statusCode, message }, { status: statusCode })

async function requireDevelopmentChain({ key, rpc }: DevChain): Promise<void> {
  const info = await rpc.ask('anvil_nodeInfo').catch(() => null)
  if (!info || new URL(rpc.url).hostname !== '127.0.0.1') throw new Error(`${key} is not a local development chain`)
}

async function answer(world: World, what: string, name: string, request: Request): Promise<Response> {
  switch (what) {
    case 'GET outcomes':
      return Response.json(outcomes)
    case 'POST deposits':
      return Response.json({ depositTxHash: await sendForRequest(world, await bodyOf(request)) }, { status: 201 })
    case 'PUT chains':
      return Response.json(await controlChain(world, chainOf(world, name), await bodyOf(request)))
    case 'GET faults':
      return Response.json(world.faults.all())
    case 'PUT faults':
      return Response.json(putFault(world.faults, name, await bodyOf(request)))
    case 'DELETE faults':
      if (!isFaultTarget(name))
        throw new RequestRefusal(404, `There is no target ${name}. The targets are: ${faultTargets.join(', ')}`)
      world.faults.remove(name)
      return new Response(null, { status: 204 })
    case 'GET limits':
      return Response.json(world.limits.all())
    case 'PUT limits':
      return Response.json(putLimit(world.limits, limitedTarget(name), await bodyOf(request)))
    case 'DELETE limits':
      world.limits.remove(limitedTarget(name))
      return new Response(null, { status: 204 })
    default:
      throw new RequestRefusal(404, 'Not found')
  }
}

type Body = Record<string, unknown>

async function bodyOf(request: Request): Promise<Body> {
  const body = await request.json().catch(() => null)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new RequestRefusal(400, 'The body must be a JSON object')
  return body as Body
}

function chainOf({ chains }: World, name: unknown): DevChain {
  const chain = chains.get(name as ChainKey)
  if (!chain) throw new RequestRefusal(404, `There is no chain ${name}. The chains are: ${chainKeys.join(', ')}`)
  return chain
}

async function sendForRequest(world: World, body: Body): Promise<string> {
  const chain = chainOf(world, body['fromChainKey'])
  const to = body['depositAddress']
  if (typeof to !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(to))
    throw new RequestRefusal(400, 'depositAddress must be an address')
  const forced = body['outcome'] === undefined ? null : outcomeOf(`${body['outcome']}`)
  if (forced === undefined)
    throw new RequestRefusal(400, `outcome must be one of ${outcomes.map((each) => each.outcome).join(', ')}`)
  const { fromTokenSymbol: token, amountIn } = forced ?? body
  if (typeof token !== 'string' || !tokenOf(chain.id, token))
    throw new RequestRefusal(400, `fromTokenSymbol must be a token of ${chain.key}`)
  if (typeof amountIn !== 'string' || !/^[0-9]{1,78}$/.test(amountIn))
    throw new RequestRefusal(400, 'amountIn must be in atomic units')
  const transfer = { chainKey: chain.key, token, amountRaw: BigInt(amountIn), to: to as Address }
  if (forced?.outcome !== 'PENDING') {
    await chain.producer.resume()
    return sendDeposit(chain, transfer)
  }
  await chain.producer.pause()
  const hash = await sendDeposit(chain, transfer)
  await chain.producer.mine(blocksToConfirm)
  return hash
}

async function controlChain({ solver }: World, { key, id, producer, rpc }: DevChain, body: Body) {
  const { mining, reorgDepth } = body
  if (mining !== undefined && typeof mining !== 'boolean') throw new RequestRefusal(400, 'mining must be true or false')
  if (
    reorgDepth !== undefined &&
    !(Number.isInteger(reorgDepth) && Number(reorgDepth) > 0 && Number(reorgDepth) <= reorgDepthMax)
  ) {
    throw new RequestRefusal(400, `reorgDepth must be a number from 1 to ${reorgDepthMax}`)
  }
  if (mining === true) await producer.resume()
  if (mining === false) await producer.pause()
  if (reorgDepth !== undefined) {
    await producer.reorganize(Number(reorgDepth))
    await solver.payAgain(id)
  }
  return { chainKey: key, mining: producer.isMining, headBlock: Number(await rpc.ask('eth_blockNumber')) }
}

function limitedTarget(name: string): LimitedTarget {
  if (!isLimitedTarget(name))
    throw new RequestRefusal(404, `There is no ${name}. There are: ${limitedTargets.join(', ')}`)
  return name
}

/** Switches a limit of quotes on, and starts counting at zero. */
function putLimit(limits: RateLimits, target: LimitedTarget, body: Body) {
  const [most, windowMs] = [positiveInteger(body, 'most'), positiveInteger(body, 'windowMs')]
  if (most === null) throw new RequestRefusal(400, 'most must be a positive whole number')
  const { isTold = true } = body
  if (typeof isTold !== 'boolean') throw new RequestRefusal(400, 'isTold must be true or false')
  const limit = { most, windowMs: windowMs ?? 60_000, isTold }
  limits.put(target, limit)
  return { target, ...limit }
}

function putFault(faults: Faults, target: string, body: Body) {
  if (!isFaultTarget(target))
    throw new RequestRefusal(404, `There is no target ${target}. The targets are: ${faultTargets.join(', ')}`)
  const fault = `${body['fault']}`
  if (!kindsOf(target).includes(fault))
    throw new RequestRefusal(400, `fault must be one of ${kindsOf(target).join(', ')}`)
  const active = {
    fault,
    timesLeft: positiveInteger(body, 'times'),
    ms: positiveInteger(body, 'ms'),
    copies: positiveInteger(body, 'copies'),
  }
  faults.put(target, active)
  return { target, ...active }
}

function positiveInteger(body: Body, name: string): number | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (!Number.isInteger(value) || Number(value) < 1)
    throw new RequestRefusal(400, `${name} must be a positive whole number`)
  return Number(value)
}
