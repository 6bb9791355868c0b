import { join } from 'node:path'
import type { TlsFiles } from '../../src/adapters/signer/signer-access'
import { runProgram } from '../../src/devnet/servers/run-program'

const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc']

/**
 * Creates a test certificate authority, which issues certificates per host. Its own certificate is in the same folder.
 */
export async function authority(
  dir: string,
  name: string,
  host = 'IP:127.0.0.1',
): Promise<(who: string) => Promise<TlsFiles>> {
  const openssl = (...words: string[]) => runProgram(['openssl', ...words], { cwd: dir })
  const file = (ending: string) => join(dir, `${name}.${ending}`)
  const self = ['-x509', '-days', '30', '-subj', `/CN=${name}`, '-keyout', file('key'), '-out', file('crt')]
  await openssl('req', ...key, ...self)
  return async (who) => {
    const of = (ending: string) => join(dir, `${who}-of-${name}.${ending}`)
    const subject = ['-subj', `/CN=${who}`, '-addext', `subjectAltName=${host}`]
    await openssl('req', '-new', ...key, ...subject, '-keyout', of('key'), '-out', of('csr'))
    // A serial number in a file would be shared by certificates that are issued at the same time.
    const serial = ['-set_serial', `0x${crypto.randomUUID().replaceAll('-', '').slice(1)}`]
    const by = ['-CA', file('crt'), '-CAkey', file('key'), ...serial, '-copy_extensions', 'copyall']
    await openssl('x509', '-req', '-in', of('csr'), ...by, '-days', '30', '-out', of('crt'))
    return { certFile: of('crt'), keyFile: of('key'), caFile: file('crt') }
  }
}
