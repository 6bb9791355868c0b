import { readFileSync } from 'node:fs'

/** Paths of PEM files: the certificate and key of this process, and the authorities that the other side must use. */
export type TlsFiles = { certFile: string; keyFile: string; caFile: string }

/** Both sides show a certificate. The files are read each time, so a new certificate needs no restart. */
export const certificatesOf = ({ certFile, keyFile, caFile }: TlsFiles) => {
  const [cert, key, ca] = [certFile, keyFile, caFile].map((file) => readFileSync(file, 'utf8'))
  return { cert: cert!, key: key!, ca: ca! }
}
