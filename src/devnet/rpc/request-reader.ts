/** Assembles HTTP requests that arrive in parts, so each can be read whole before it is passed on. */
export class RequestReader {
  private bytes: Buffer = Buffer.alloc(0)

  /** Adds bytes. @returns the requests that these bytes complete, each exactly as it was sent. */
  push(bytes: Buffer): Buffer[] {
    this.bytes = this.bytes.length === 0 ? bytes : Buffer.concat([this.bytes, bytes])
    const requests: Buffer[] = []
    for (let length = lengthOf(this.bytes); length !== null; length = lengthOf(this.bytes)) {
      requests.push(this.bytes.subarray(0, length))
      this.bytes = this.bytes.subarray(length)
    }
    return requests
  }
}

/** The body of a complete request. */
export const bodyOf = (request: Buffer): string =>
  request.subarray(request.indexOf(headEnd) + headEnd.length).toString()

const headEnd = '\r\n\r\n'

/** The length of the first request in the buffer, or null while it is incomplete. */
function lengthOf(bytes: Buffer): number | null {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return null
  const [, body] = /content-length: *(\d+)/i.exec(bytes.subarray(0, end).toString('latin1')) ?? []
  const length = end + headEnd.length + Number(body ?? 0)
  return bytes.length < length ? null : length
}
