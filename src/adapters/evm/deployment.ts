import { encodeAbiParameters, keccak256, toFunctionSelector } from 'viem/utils'
import type { Deployment, DeploymentQuery } from '../../domain/chain/deployment'
import { type Address, type Hex, zeroAddress } from '../../domain/chain/hex'
import { asAmount, asBytes, toQuantity } from './rpc/answers'
import { isRevert } from './rpc/error'
import type { Ask } from './rpc/json-rpc'

const selector = (signature: string): Hex => toFunctionSelector(`function ${signature}`)
const word = (value: Address | bigint): string =>
  (typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()).padStart(64, '0')
const isWord = /^0x[0-9a-f]{64}/i
const roles = [0n, 1n, 2n]

/** Reads our contracts on a chain at one block, in two batched requests. The caller judges the result. */
export const readDeployment =
  (ask: Ask) =>
  async ({
    registry,
    implementation,
    executor,
    recoveryExecutor,
    lens,
    collector,
    ...query
  }: DeploymentQuery): Promise<Deployment> => {
    const block = toQuantity(asAmount(await ask('eth_blockNumber', [])))
    const code = async (address: Address): Promise<Hex> => asBytes(await ask('eth_getCode', [address, block]))
    /** Returns the first word of the result, or null if the contract has no such function. */
    const view = async (to: Address, signature: string, ...args: (Address | bigint)[]): Promise<Hex | null> => {
      const data = `${selector(signature)}${args.map(word).join('')}`
      const answer = await ask('eth_call', [{ to, data }, block]).catch((error) => {
        if (isRevert(error)) return '0x'
        throw error
      })
      const bytes = asBytes(answer)
      return isWord.test(bytes) ? (bytes.slice(0, 66) as Hex) : null
    }
    const flag = async (...call: Parameters<typeof view>) => isTrue(await view(...call))
    const address = async (...call: Parameters<typeof view>) => addressIn(await view(...call))
    const amount = async (...call: Parameters<typeof view>) => BigInt((await view(...call)) ?? 0)

    const readRecovery = async (at: Address) => ({
      code: await code(at),
      executor: await address(at, 'routes()'),
      isModule: await flag(registry, 'isExecutor(address)', at),
    })

    const rules = query.rules.flatMap((rule) => [rule.target, zeroAddress].map((spender) => ({ ...rule, spender })))
    const [codes, identity, lists, settings, guards, caps, node, recoveryAddress] = await Promise.all([
      Promise.all([registry, implementation, executor, lens].map(code)),
      Promise.all([
        address(registry, 'implementation()'),
        address(implementation, 'registry()'),
        address(executor, 'registry()'),
        flag(registry, 'isExecutor(address)', executor),
      ]),
      Promise.all([
        Promise.all(query.signers.map((each) => flag(executor, 'isSigner(address)', each))),
        Promise.all(query.relayers.map((each) => flag(executor, 'isRelayer(address)', each))),
        flag(executor, 'isCollector(address)', collector),
        flag(executor, 'isSigner(address)', query.worthless),
        Promise.all(roles.map((role) => address(registry, 'holder(uint256)', role))),
      ]),
      Promise.all([flag(executor, 'paused()'), amount(executor, 'maxNativeFee()')]),
      Promise.all(rules.map((rule) => view(executor, 'guardOf(bytes32)', BigInt(ruleKey(rule))).then(addressIn))),
      Promise.all(query.tokens.map((token) => limitOf(ask, executor, token, block))),
      ask('web3_clientVersion', []).then(String, () => ''),
      recoveryExecutor && readRecovery(recoveryExecutor),
    ])
    const places = [...new Set(guards.filter((guard) => guard !== zeroAddress))]
    const guardCodes = new Map(await Promise.all(places.map(async (place) => [place, await code(place)] as const)))
    return {
      node,
      code: { registry: codes[0]!, implementation: codes[1]!, executor: codes[2]!, lens: codes[3]! },
      implementation: identity[0],
      accountRegistry: identity[1],
      executorRegistry: identity[2],
      isModule: identity[3],
      recoveryExecutor: recoveryAddress,
      signers: lists[0],
      relayers: lists[1],
      isCollector: lists[2],
      trustsDrafts: lists[3],
      holders: lists[4],
      paused: settings[0],
      maxNativeFeeWei: settings[1],
      guards: rules.map((rule, n) => ({ ...rule, at: guards[n]!, code: guardCodes.get(guards[n]!) ?? '0x' })),
      caps: query.tokens.map((token, n) => ({ token, limitRaw: caps[n]! })),
    }
  }

const isTrue = (answer: Hex | null): boolean => answer !== null && BigInt(answer) === 1n
const addressIn = (answer: Hex | null): Address =>
  answer === null ? zeroAddress : (`0x${answer.slice(26).toLowerCase()}` as Address)

export const ruleKey = ({
  target,
  selector: function4,
  spender,
}: {
  target: Address
  selector: Hex
  spender: Address
}): Hex =>
  keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'bytes4' }, { type: 'address' }], [target, function4, spender]),
  )

/** Returns the limit of a token's cap, the second of its words day, limit and spent. 0 if the contract has no caps. */
export async function limitOf(ask: Ask, executor: Address, token: Address, block: Hex | 'latest'): Promise<bigint> {
  const data = `${selector('capOf(address)')}${word(token)}`
  const bytes = asBytes(
    await ask('eth_call', [{ to: executor, data }, block]).catch((error) => {
      if (isRevert(error)) return '0x'
      throw error
    }),
  )
  return bytes.length >= 2 + 128 ? BigInt(`0x${bytes.slice(66, 130)}`) : 0n
}
