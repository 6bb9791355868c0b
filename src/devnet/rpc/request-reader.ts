/** Puts HTTP requests together that arrive in parts, so that what one asks for is known before it is passed on. */
export class RequestReader {
  private bytes: Buffer = Buffer.alloc(0)

  /** The requests that are whole with these bytes, each as it was sent. */
  push(bytes: Buffer): Buffer[] {
    this.bytes = this.bytes.length === 0 ? bytes : Buffer.concat([this.bytes, bytes])
    const whole: Buffer[] = []
    for (let length = lengthOf(this.bytes); length !== null; length = lengthOf(this.bytes)) {
      whole.push(this.bytes.subarray(0, length))
      this.bytes = this.bytes.subarray(length)
    }
    return whole
  }
}

/** The body of a whole request. */
export const bodyOf = (request: Buffer): string =>
  request.subarray(request.indexOf(headEnd) + headEnd.length).toString()

const headEnd = '\r\n\r\n'

/** Null while it is not all there. */
function lengthOf(bytes: Buffer): number | null {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return null
  const [, body] = /content-length: *(\d+)/i.exec(bytes.subarray(0, end).toString('latin1')) ?? []
  const length = end + headEnd.length + Number(body ?? 0)
  return bytes.length < length ? null : length
}
