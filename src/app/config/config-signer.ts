import type { Address } from '../../domain/chain/hex'
import { readableFile, signerListen, signerPlace } from './config-forms'
import { addresses } from './config-keys'
import { anyText, integer, type Objection, optional, otherwise, type readVariables } from './env-variable'

/** Settings of the signer: its address, how to connect to it, and what it may sign. */
export const signerVariables = {
  SIGNER_URL: optional(signerPlace),
  SIGNER_ADDRESSES: optional(addresses),
  SIGNER_LISTEN: otherwise('127.0.0.1:3100', signerListen),
  SIGNER_TLS_CERT_FILE: optional(readableFile),
  SIGNER_TLS_KEY_FILE: optional(readableFile),
  SIGNER_TLS_CA_FILE: optional(readableFile),
  SIGNER_LOG_PATH: optional(anyText),
  SIGNER_HOURLY_PERCENT: otherwise(50, integer(1, 100)),
  SIGNER_ORGANIZATION_PERCENT: otherwise(50, integer(1, 100)),
}
type Read = ReturnType<typeof readVariables<typeof signerVariables>>['values']

const tlsNames = ['SIGNER_TLS_CERT_FILE', 'SIGNER_TLS_KEY_FILE', 'SIGNER_TLS_CA_FILE'] as const

/** Objects to incomplete TLS settings: a process with certificates must not fall back to a connection without TLS. */
export function signerObjections(read: Read, { isSigner }: { isSigner: boolean }): Objection[] {
  const objections: Objection[] = isSigner && !read.SIGNER_LOG_PATH ? [{ name: 'SIGNER_LOG_PATH', expected: null }] : []
  const missing = tlsNames.filter((name) => read[name] === undefined)
  if (missing.length === tlsNames.length) return objections
  for (const name of missing) objections.push({ name, expected: null, why: 'if another file of SIGNER_TLS_… is set' })
  if (isSigner && read.SIGNER_LISTEN.startsWith('unix:'))
    objections.push({ name: 'SIGNER_LISTEN', expected: 'host:port if SIGNER_TLS_CERT_FILE is set' })
  if (read.SIGNER_URL && !read.SIGNER_URL.startsWith('https:'))
    objections.push({ name: 'SIGNER_URL', expected: 'https://host:port if SIGNER_TLS_CERT_FILE is set' })
  return objections
}

export const signerConfigOf = (read: Read) => ({
  signerUrl: read.SIGNER_URL ?? null,
  signerAddresses: (read.SIGNER_ADDRESSES?.split(',') ?? null) as Address[] | null,
  signerListen: read.SIGNER_LISTEN,
  signerTls:
    read.SIGNER_TLS_CERT_FILE && read.SIGNER_TLS_KEY_FILE && read.SIGNER_TLS_CA_FILE
      ? { certFile: read.SIGNER_TLS_CERT_FILE, keyFile: read.SIGNER_TLS_KEY_FILE, caFile: read.SIGNER_TLS_CA_FILE }
      : null,
  signerLogPath: read.SIGNER_LOG_PATH ?? null,
  signerHourlyPercent: read.SIGNER_HOURLY_PERCENT,
  signerOrganizationPercent: read.SIGNER_ORGANIZATION_PERCENT,
})
