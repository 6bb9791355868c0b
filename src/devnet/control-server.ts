import { type ChainKey, chainKeys } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { BridgeSolver } from './bridge/bridge-solver'
import type { DevChain } from './chains/dev-chain'
import { sendDeposit } from './chains/faucet'
import { tokenOf } from './chains/tokens'
import { type Faults, faultTargets, isFaultTarget, kindsOf } from './faults'
import { outcomeOf, outcomes } from './outcomes'

/** More than any depth at which a deposit counts as confirmed here. */
/** More than the service waits for on any of these chains. */
export const blocksToConfirm = 4
const reorgDepthMax = 32

type ControlServer = { url: string; stop(): Promise<void> }

type World = { chains: ReadonlyMap<ChainKey, DevChain>; solver: BridgeSolver; faults: Faults }

class Refusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

/** Forces what happens in the world: deposits, faults, chains that stop or reorganize. No key, loopback only. */
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
        if (error instanceof Refusal) return refused(error.status, error.message)
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
      return Response.json({ depositTxHash: await deposit(world, await bodyOf(request)) }, { status: 201 })
    case 'PUT chains':
      return Response.json(await steer(world, chainOf(world, name), await bodyOf(request)))
    case 'GET faults':
      return Response.json(world.faults.all())
    case 'PUT faults':
      return Response.json(putFault(world.faults, name, await bodyOf(request)))
    case 'DELETE faults':
      if (!isFaultTarget(name)) throw new Refusal(404, `No target ${name}; there are ${faultTargets.join(', ')}`)
      world.faults.remove(name)
      return new Response(null, { status: 204 })
    default:
      throw new Refusal(404, 'Not found')
  }
}

type Body = Record<string, unknown>

async function bodyOf(request: Request): Promise<Body> {
  const body = await request.json().catch(() => null)
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(400, 'The body must be a JSON object')
  return body as Body
}

function chainOf({ chains }: World, name: unknown): DevChain {
  const chain = chains.get(name as ChainKey)
  if (!chain) throw new Refusal(404, `No chain ${name}; there are ${chainKeys.join(', ')}`)
  return chain
}

async function deposit(world: World, body: Body): Promise<string> {
  const chain = chainOf(world, body['fromChainKey'])
  const to = body['depositAddress']
  if (typeof to !== 'string' || !/^0x[0-9a-fA-F]{40}$/.test(to))
    throw new Refusal(400, 'depositAddress must be an address')
  const forced = body['outcome'] === undefined ? null : outcomeOf(`${body['outcome']}`)
  if (forced === undefined)
    throw new Refusal(400, `outcome must be one of ${outcomes.map((each) => each.outcome).join(', ')}`)
  const { fromTokenSymbol: token, amountIn } = forced ?? body
  if (typeof token !== 'string' || !tokenOf(chain.id, token))
    throw new Refusal(400, `fromTokenSymbol must be a token of ${chain.key}`)
  if (typeof amountIn !== 'string' || !/^[0-9]{1,78}$/.test(amountIn))
    throw new Refusal(400, 'amountIn must be in atomic units')
  const sending = { chainKey: chain.key, token, amountRaw: BigInt(amountIn), to: to as Address }
  if (forced?.outcome !== 'PENDING') {
    await chain.beat.resume()
    return sendDeposit(chain, sending)
  }
  await chain.beat.pause()
  const hash = await sendDeposit(chain, sending)
  await chain.beat.mine(blocksToConfirm)
  return hash
}

async function steer({ solver }: World, { key, id, beat, rpc }: DevChain, body: Body) {
  const { mining, reorgDepth } = body
  if (mining !== undefined && typeof mining !== 'boolean') throw new Refusal(400, 'mining must be true or false')
  if (
    reorgDepth !== undefined &&
    !(Number.isInteger(reorgDepth) && Number(reorgDepth) > 0 && Number(reorgDepth) <= reorgDepthMax)
  ) {
    throw new Refusal(400, `reorgDepth must be a number from 1 to ${reorgDepthMax}`)
  }
  if (mining === true) await beat.resume()
  if (mining === false) await beat.pause()
  if (reorgDepth !== undefined) {
    await beat.reorganize(Number(reorgDepth))
    await solver.payAgain(id)
  }
  return { chainKey: key, mining: beat.mining, headBlock: Number(await rpc.ask('eth_blockNumber')) }
}

function putFault(faults: Faults, target: string, body: Body) {
  if (!isFaultTarget(target)) throw new Refusal(404, `No target ${target}; there are ${faultTargets.join(', ')}`)
  const fault = `${body['fault']}`
  if (!kindsOf(target).includes(fault)) throw new Refusal(400, `fault must be one of ${kindsOf(target).join(', ')}`)
  const put = {
    fault,
    timesLeft: positive(body, 'times'),
    ms: positive(body, 'ms'),
    copies: positive(body, 'copies'),
  }
  faults.put(target, put)
  return { target, ...put }
}

function positive(body: Body, name: string): number | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (!Number.isInteger(value) || Number(value) < 1) throw new Refusal(400, `${name} must be a positive whole number`)
  return Number(value)
}
