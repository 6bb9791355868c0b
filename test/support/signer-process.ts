import { join } from 'node:path'
import { remoteSigner } from '../../src/adapters/signer/remote-signer'
import type { TlsFiles } from '../../src/adapters/signer/signer-access'
import { type SignerOutcome, signerServer } from '../../src/adapters/signer/signer-server'
import { openSigningLog } from '../../src/adapters/signer/signing-log'
import type { Hex } from '../../src/domain/chain/hex'
import { hourlyCaps } from '../../src/signer/hourly-caps'
import { ownTerms } from '../../src/signer/own-terms'
import { signedOnce } from '../../src/signer/signed-once'
import { type SignerSettings, signing } from '../../src/signer/signing'
import { recordsInMemory } from './records'
import { signerSettings } from './signable'
import { temporaryFolder } from './temporary-folder'

export const accessKey: Hex = `0x${'acce55'.repeat(10)}abcd`

type Options = {
  settings?: Partial<SignerSettings>
  accessKeys?: readonly Hex[]
  tls?: TlsFiles
  logPath?: string
  listen?: string
  /** Time of the chain's newest block. */
  head?: { time: number }
  now?: () => number
  /** Daily cap of the executor for any token. */
  dailyCapRaw?: bigint
}

/** Starts the signer with the real server, log and key, and a client as a worker uses it. */
export async function startSigner(options: Options = {}) {
  const { settings = {}, accessKeys = [accessKey], listen = '127.0.0.1:0', head = { time: 1_799_999_900 } } = options
  const {
    logPath = join(temporaryFolder('signer'), 'signing.log'),
    now = Date.now,
    dailyCapRaw = 2n ** 112n,
    tls,
  } = options
  const log = await openSigningLog(logPath, { now })
  const caps = hourlyCaps({ dailyCap: async () => dailyCapRaw, percent: 50, organizationPercent: 100, now })
  const outcomes: SignerOutcome[] = []
  const whys: string[] = []
  const bugs: unknown[] = []
  const malformed: string[] = []
  const core = signing({ ...signerSettings, ...settings })
  const server = signerServer({
    listen,
    accessKeys,
    ...(tls && { tls }),
    signing: signedOnce(core, {
      log,
      caps,
      freshHead: async () => ({ number: 1, hash: '0x', time: head.time }),
      orderSeconds: 150,
    }),
    logHead: log.head,
    status: () => ({ address: '0x', at: now(), version: 'test' }),
    now,
    onOutcome: (outcome) => outcomes.push(outcome),
    onDenied: (why) => whys.push(why),
    onMalformed: (paths) => malformed.push(...paths),
    onBug: (error) => bugs.push(error),
  })
  const falseAnswers: string[] = []
  const remote = remoteSigner({ url: server.url, accessKeys, now, ...(tls && { tls }) })
  return {
    url: server.url,
    falseAnswers,
    logPath,
    outcomes,
    whys,
    bugs,
    malformed,
    head,
    asks: {
      ...remote,
      ...ownTerms(remote, {
        ...signerSettings,
        storedLogs: recordsInMemory(),
        onFalseAnswer: ({ message }) => falseAnswers.push(message),
        onUnable: () => {},
        now,
      }),
    },
    async stop() {
      await server.stop()
      await log.close()
    },
  }
}
