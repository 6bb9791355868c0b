import { decodeFunctionResult, encodeFunctionData, keccak256, pad, toHex } from 'viem/utils'
import { accountRegistryAbi, routeExecutorAbi } from '../../contracts/artifacts/abi'
import { asBytes, asNumber, asObject, toQuantity } from '../adapters/evm/rpc/answers'
import type { Ask } from '../adapters/evm/rpc/json-rpc'
import { type Address, type Hex, zeroAddress } from '../domain/chain/hex'
import type { WantedSettings } from './deployment-file'
import type { ProductContracts } from './product-contracts'
import type { Step } from './steps'

/** One setting of an executor: its value on the chain, its wanted value, and the step that brings it nearer. */
export type SettingChange = { name: string; is: string; wanted: string; step: Step | null }

/** The contract's `Item`, the subject of a stop. */
const items = { everything: 0, relayer: 1, signer: 2, collector: 3, cap: 5, nativeFee: 6 } as const
/** How long a change waits, and how long it may be applied afterwards, in seconds. */
const delay = 2n * 86_400n
const window = 14n * 86_400n
const noKey: Hex = toHex(0, { size: 32 })

type Setting = {
  name: string
  is: bigint
  wanted: bigint
  /** The item that records a stop of it. */
  item: number
  key: Hex
  widened: Hex
  /** The call that lowers or ends it immediately; null if every change has to wait. */
  narrowed: Hex | null
}

/** Compares the executor's settings on one chain with the wanted ones, at the newest block. */
export async function settingChanges(
  ask: Ask,
  wantedSettings: WantedSettings,
  { registry, executor }: ProductContracts,
  { unpause = false } = {},
): Promise<SettingChange[]> {
  const latest = asObject(await ask('eth_getBlockByNumber', ['latest', false]))
  const block = toQuantity(asNumber(latest['number']))
  const time = BigInt(asNumber(latest['timestamp']))
  const call = async (to: Address, data: Hex) => asBytes(await ask('eth_call', [{ to, data }, block]))
  const view = async (functionName: string, args: readonly unknown[] = []) => {
    const question = { abi: routeExecutorAbi, functionName, args } as Parameters<typeof encodeFunctionData>[0]
    const data = await call(executor.address, encodeFunctionData(question))
    return decodeFunctionResult({ ...question, data } as Parameters<typeof decodeFunctionResult>[0]) as unknown
  }
  const holderOf = async (role: bigint) => {
    const question = { abi: accountRegistryAbi, functionName: 'holder', args: [role] } as const
    const data = await call(registry.address, encodeFunctionData(question))
    return decodeFunctionResult({ ...question, data })
  }
  const [admin, guardian, settings] = await Promise.all([
    holderOf(0n),
    holderOf(1n),
    settingsOf(wantedSettings, view, unpause),
  ])
  const send = (name: string, by: readonly Address[], data: Hex, readyAt: bigint | null = null): Step => ({
    name,
    by,
    to: executor.address,
    data,
    status: readyAt === null || readyAt <= time ? 'READY' : 'WAITS',
    readyAt: readyAt === null ? null : Number(readyAt),
    isHandOver: false,
  })

  /** When the scheduled change may be applied; null if it must be scheduled, because it lapsed or was stopped. */
  async function readyAtOf({ item, key, widened }: Setting): Promise<bigint | null> {
    const readyAt = (await view('readyAt', [keccak256(widened)])) as bigint
    if (readyAt === 0n || time > readyAt + window) return null
    const stoppedAt = (await view('stoppedAt', [item, key])) as bigint
    return readyAt - delay <= stoppedAt ? null : readyAt
  }

  async function stepOf(setting: Setting): Promise<Step | null> {
    const { is, wanted: next, narrowed, widened } = setting
    const name = setting.item === items.everything ? 'the end of the pause' : setting.name
    if (is === next) return null
    if (next < is && narrowed) return send(`${next === 0n ? 'end' : 'lower'} ${name}`, [guardian, admin], narrowed)
    const readyAt = await readyAtOf(setting)
    return readyAt === null
      ? send(`schedule ${name}`, [admin], encoded('schedule', [widened]))
      : send(`apply ${name}`, [admin], encoded('applyChange', [widened]), readyAt)
  }

  return Promise.all(
    settings.map(async (setting) => ({
      name: setting.name,
      is: String(setting.is),
      wanted: String(setting.wanted),
      step: await stepOf(setting),
    })),
  )
}

const encoded = (functionName: string, args: readonly unknown[]): Hex =>
  encodeFunctionData({ abi: routeExecutorAbi, functionName, args } as Parameters<typeof encodeFunctionData>[0])

type View = (functionName: string, args?: readonly unknown[]) => Promise<unknown>

async function settingsOf(wantedSettings: WantedSettings, view: View, unpause: boolean): Promise<Setting[]> {
  const caps = wantedSettings.caps.map(async ({ token, limit }): Promise<Setting> => {
    const [, is] = (await view('capOf', [token])) as readonly [number, bigint, bigint]
    const name = `the cap of ${token === zeroAddress ? 'the native coin' : token}`
    const [widened, narrowed] = ['setCap', 'lowerCap'].map((each) => encoded(each, [token, limit]))
    return { name, is, wanted: limit, item: items.cap, key: pad(token), widened: widened!, narrowed: narrowed! }
  })
  const fee = async (): Promise<Setting> => ({
    name: 'the largest native fee',
    is: (await view('maxNativeFee')) as bigint,
    wanted: wantedSettings.maxNativeFeeWei,
    item: items.nativeFee,
    key: noKey,
    widened: encoded('setMaxNativeFee', [wantedSettings.maxNativeFeeWei]),
    narrowed: null,
  })
  const power = (kind: 'relayer' | 'signer' | 'collector', isWanted: boolean) => {
    const called = `${kind[0]!.toUpperCase()}${kind.slice(1)}`
    return async (who: Address): Promise<Setting> => ({
      name: `the ${kind} ${who}`,
      is: (await view(`is${called}`, [who])) === true ? 1n : 0n,
      wanted: isWanted ? 1n : 0n,
      item: items[kind],
      key: pad(who),
      widened: encoded(`add${called}`, [who]),
      narrowed: encoded('stop', [items[kind], pad(who)]),
    })
  }
  const kinds = ['relayer', 'signer', 'collector'] as const
  const powers = kinds.flatMap((kind) => wantedSettings[`${kind}s`].map(power(kind, true)))
  const ended = kinds.flatMap((kind) => wantedSettings.retired.map(power(kind, false)))
  const gone = (await Promise.all(ended)).filter(({ is }) => is === 1n)
  const isPaused = unpause && (await view('paused')) === true
  const widened = encoded('unpause', [])
  const pause = { name: 'the pause', is: 1n, wanted: 0n, item: items.everything, key: noKey, widened, narrowed: null }
  return [...(await Promise.all([...caps, fee(), ...powers])), ...gone, ...(isPaused ? [pause] : [])]
}
