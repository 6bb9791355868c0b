import { readFileSync } from 'node:fs'

/** Files in PEM: what a process shows, and the authorities by which it knows the other side. */
export type TlsFiles = { certFile: string; keyFile: string; caFile: string }

/** Both sides show a certificate. The files are read anew each time, so that a new certificate needs no restart. */
export const certificatesOf = ({ certFile, keyFile, caFile }: TlsFiles) => {
  const [cert, key, ca] = [certFile, keyFile, caFile].map((file) => readFileSync(file, 'utf8'))
  return { cert: cert!, key: key!, ca: ca! }
}
