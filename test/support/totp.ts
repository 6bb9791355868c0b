import { createHmac } from 'node:crypto'

/** Returns the codes that an authenticator shows now and next, from one look at the clock: a code lasts 30 seconds. */
export function codesOf(secret: string): [current: string, next: string] {
  const step = Math.floor(Date.now() / 30_000)
  return [codeAt(secret, step), codeAt(secret, step + 1)]
}

/** Returns the code that an authenticator shows (RFC 6238). */
export const totpOf = (secret: string): string => codesOf(secret)[0]

function codeAt(secret: string, step: number): string {
  const bits = [...secret]
    .map((char) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(char).toString(2).padStart(5, '0'))
    .join('')
  const key = Buffer.from(bits.match(/.{8}/g)!.map((byte) => Number.parseInt(byte, 2)))
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', key).update(counter).digest()
  const at = mac.at(-1)! & 15
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0')
}
