import { clockDifference, wallClock } from '../../adapters/clock'
import { isKmsKey } from '../../adapters/keys/open-key'
import { remoteSigner } from '../../adapters/signer/remote-signer'
import { BrokenSigningLog, readSigningLog } from '../../adapters/signer/signing-log-files'
import type { Address } from '../../domain/chain/hex'
import type { LogHead } from '../../domain/signer-log'
import { ConfigError } from '../config/config'
import type { Loaded } from '../process/base'
import { type OpenKeys, openKeys } from '../process/open-keys'
import { clockFinding } from './clock-finding'
import { about, type Finding } from './finding'

/** Stricter than the signer, which refuses requests that are a minute apart from its clock. */
const clocksApartMs = 20_000

/** Findings about the signer, and the addresses whose signatures the executors must accept. */
type Signers = { findings: Finding[]; addresses: Address[]; relayers: Address[]; log?: LogHead | undefined }

/** Examines the keys, and either the remote signer or the log of the signer that this environment configures. */
export async function signersOf(loaded: Loaded): Promise<Signers> {
  const { config } = loaded
  const { findings, opened } = await keysOf(loaded)
  const addresses = opened.routeSigner ? [opened.routeSigner.address] : []
  const relayers = opened.relayers?.map(({ address }) => address) ?? config.relayerAddresses
  if (config.roles.includes('signer')) findings.push(await logOf(config.signerLogPath!))
  const elsewhere = await remoteOf(loaded)
  return elsewhere
    ? { ...elsewhere, findings: [...findings, ...elsewhere.findings], relayers }
    : { findings, addresses, relayers }
}

/** Examines the remote signer that this process would use; null if it uses none. */
async function remoteOf({ config, keys }: Loaded): Promise<Omit<Signers, 'relayers'> | null> {
  if (!config.signerUrl || !keys.signerAccess) return null
  const line = about('signer', 'Signer')
  try {
    const settings = { url: config.signerUrl, accessKeys: keys.signerAccess, tls: config.signerTls, now: wallClock }
    let status: Awaited<ReturnType<ReturnType<typeof remoteSigner>['status']>> | undefined
    const clock = await clockDifference(async () => {
      status = await remoteSigner(settings).status()
      return status.at
    })
    const { address, log } = status!
    const findings = [
      line.good(`It responds and proves its identity. It signs with the key of ${address}.`),
      clockFinding(
        about('signer-clock', 'Signer'),
        clock,
        clocksApartMs,
        'Synchronise both by NTP: beyond a minute it refuses every request.',
      ),
    ]
    return { findings, addresses: [address], log }
  } catch {
    const advice =
      'Check that it runs at SIGNER_URL. Compare SIGNER_ACCESS_KEY, SIGNER_TLS_… and the clocks of both machines.'
    return {
      findings: [line.bad('It does not respond, or it refuses this process: nothing would be signed.', advice)],
      addresses: [],
    }
  }
}

async function logOf(path: string): Promise<Finding> {
  const line = about('signing-log', 'Signer')
  try {
    const { signed, refused } = await readSigningLog(path)
    return line.good(`Its log holds ${signed} orders and ${refused} refusals, and no line was changed.`)
  } catch (error) {
    if (error instanceof BrokenSigningLog)
      return line.bad(`${error.message}.`, 'It was tampered with: find out by whom. The signer does not start with it.')
    return line.unknown(
      'It has no log yet, or the log cannot be read.',
      'The first start creates the file at SIGNER_LOG_PATH.',
    )
  }
}

/** Findings about keys in a key management service, and all usable keys. */
type Keys = { findings: Finding[]; opened: OpenKeys }

const variables = {
  routeSigner: 'ROUTE_SIGNER_PRIVATE_KEY',
  relayers: 'RELAYER_PRIVATE_KEYS',
  receipt: 'RECEIPT_KEY',
} as const

/**
 * Opens this process's keys as the start does, and makes one test signature with each key in a key management service.
 */
export async function keysOf({ config, keys }: Loaded): Promise<Keys> {
  const result: Keys = { findings: [], opened: { routeSigner: null, relayers: null, receipt: null } }
  for (const which of ['routeSigner', 'relayers', 'receipt'] as const) {
    const isElsewhere = [keys[which] ?? []].flat().some(isKmsKey)
    const line = about('key', variables[which])
    const only = { ...keys, routeSigner: null, relayers: null, receipt: null, [which]: keys[which] }
    try {
      const opened = (await openKeys({ config, keys: only }))[which]
      result.opened = { ...result.opened, [which]: opened }
      const addresses = [opened ?? []].flat().map(({ address }) => address)
      if (isElsewhere) result.findings.push(line.good(`It signs as ${addresses.join(', ')}.`))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const advice =
        'See “Keys in AWS KMS or Google Cloud KMS” in docs/operations/configuration.md: nothing would be signed.'
      result.findings.push(line.bad(error.message, advice))
    }
  }
  return result
}
