/** The start of a secp256k1 public key in SubjectPublicKeyInfo (RFC 5480), up to the 64 bytes of its point. */
export const spkiHead = '3056301006072a8648ce3d020106052b8104000a03420004'

/** The Castagnoli polynomial, with its bits reversed. */
const polynomial = 0x82f63b78

/** The checksum that Google's services use for received and sent bytes. */
export function crc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
