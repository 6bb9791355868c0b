import { expect, test } from 'bun:test'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { remoteSigner } from '../../../src/adapters/signer/remote-signer'
import { certificatesOf, type TlsFiles } from '../../../src/adapters/signer/signer-access'
import { authority } from '../../support/certificates'
import { seals } from '../../support/seals'
import { sealedRecord, signable } from '../../support/signable'
import { accessKey, startSigner } from '../../support/signer-process'
import { temporaryFolder } from '../../support/temporary-folder'

const dir = temporaryFolder('certificates')
const record = () => sealedRecord(signable())
const settings = { seals }
/** The result of a request: null if the signer responded, or why it counts as unreachable. */
const troubleOf = (tls: TlsFiles | null, url: string) =>
  remoteSigner({ now: Date.now, url, accessKeys: [accessKey], tls })
    .verifyIntent(record())
    .catch((error) => [error.waitingFor, error.cause?.code ?? error.cause?.message])

const [ours, theirs] = await Promise.all(['ours', 'theirs'].map((name) => authority(dir, name)))
const [signerTls, workerTls, strangerTls, nextSignerTls, nextWorkerTls] = await Promise.all([
  ours!('signer'),
  ours!('worker'),
  theirs!('stranger'),
  theirs!('signer'),
  theirs!('worker'),
])
/** The result for a client that trusts the signer's certificate and shows none, independent of our own client. */
const bareTrouble = (url: string, { caFile }: TlsFiles) =>
  fetch(`${url}/v1/verify`, { tls: { ca: readFileSync(caFile, 'utf8') } }).then(
    ({ status }) => `answered ${status}`,
    (error) => error.code ?? error.name,
  )

test('a worker with a certificate is answered, and a client with only the access key is not', async () => {
  const signer = await startSigner({ settings, tls: signerTls })
  expect(signer.url).toStartWith('https://')
  expect(await troubleOf(workerTls, signer.url)).toBeNull()
  expect(await bareTrouble(signer.url, signerTls)).not.toStartWith('answered')
  const refused = [
    ['no certificate', null],
    ['no certificate', { ...strangerTls, caFile: signerTls.caFile }],
    ['a certificate without its key', { ...workerTls, keyFile: strangerTls.keyFile }],
  ] as const
  for (const [who, tls] of refused) {
    const [waitingFor, why] = (await troubleOf(tls, signer.url)) as string[]
    expect([who, waitingFor, typeof why]).toEqual([who, 'SIGNER', 'string'])
  }
  const plain = (await troubleOf(workerTls, signer.url.replace('https', 'http'))) as string[]
  expect(plain[0]).toBe('SIGNER')
  // None of the others reached the signer: its one response is the worker’s.
  expect([signer.outcomes, signer.whys]).toEqual([['VERIFIED'], []])
  await signer.stop()
})

test('a worker refuses a signer whose certificate its authority did not issue', async () => {
  const false_ = await startSigner({ settings, tls: { ...nextSignerTls, caFile: signerTls.caFile } })
  const [waitingFor, why] = (await troubleOf(workerTls, false_.url)) as string[]
  expect([waitingFor, why]).toEqual(['SIGNER', expect.stringMatching(/CERT|VERIFY/)])
  expect(false_.outcomes).toEqual([])
  await false_.stop()
})

test('a worker refuses a signer whose certificate names another host, even from its own authority', async () => {
  const elsewhere = await authority(dir, 'elsewhere', 'DNS:signer.example')
  const [tls, worker] = [await elsewhere('signer'), await elsewhere('worker')]
  const signer = await startSigner({ settings, tls })
  expect(await troubleOf(worker, signer.url)).toEqual(['SIGNER', expect.stringMatching(/ALTNAME|CERT/)])
  expect(signer.outcomes).toEqual([])
  await signer.stop()
})

test('certificates and their authority can be replaced with at most a wait, and the access key still decides', async () => {
  const both = join(dir, 'both.crt')
  writeFileSync(both, readFileSync(signerTls.caFile, 'utf8') + readFileSync(nextSignerTls.caFile, 'utf8'))
  // The worker's files stay in place, and their contents change.
  const at = (name: string) => join(dir, `worker.${name}`)
  const worker = { certFile: at('crt'), keyFile: at('key'), caFile: at('ca') }
  const give = ({ certFile, keyFile }: TlsFiles) => {
    copyFileSync(certFile, worker.certFile)
    copyFileSync(keyFile, worker.keyFile)
    copyFileSync(both, worker.caFile)
  }
  give(workerTls)
  const first = await startSigner({ settings, tls: { ...signerTls, caFile: both } })
  const { url } = first
  const asks = remoteSigner({ now: Date.now, url, accessKeys: [accessKey], tls: worker })
  expect(await asks.verifyIntent(record())).toBeNull()
  give(nextWorkerTls)
  expect(certificatesOf(worker).cert).toBe(readFileSync(nextWorkerTls.certFile, 'utf8'))
  expect(await asks.verifyIntent(record())).toBeNull()

  await first.stop()
  expect(await asks.verifyIntent(record()).catch((error) => error.waitingFor)).toBe('SIGNER')
  const listen = url.slice('https://'.length)
  // It trusts only the new authority, so the worker's first certificate would be refused.
  const second = await startSigner({ settings, listen, tls: nextSignerTls })
  expect(await troubleOf({ ...workerTls, caFile: both }, url)).toEqual(['SIGNER', expect.any(String)])
  expect(await asks.verifyIntent(record())).toBeNull()
  // A client with a certificate but without the access key learns nothing.
  const keyless = remoteSigner({ now: Date.now, url, accessKeys: [`0x${'1'.repeat(64)}`], tls: worker })
  expect(await keyless.verifyIntent(record()).catch((error) => error.waitingFor)).toBe('SIGNER')
  expect(second.outcomes).toEqual(['VERIFIED', 'DENIED'])
  await second.stop()
})
