import { connect, type Socket } from 'node:net'

export type Answer = { status: number; headers: Headers; text: string }

const headEnd = Buffer.from('\r\n\r\n')

/** A stream of events never ends, so the client hangs up once it has the headers. */
const isStream = ({ headers }: Answer): boolean => headers.get('content-type')?.startsWith('text/event-stream') ?? false

/** The first complete response in the received bytes, and the remaining bytes. Null while it is incomplete. */
function firstIn(bytes: Buffer): { answer: Answer; rest: Buffer } | null {
  const at = bytes.indexOf(headEnd)
  if (at < 0) return null
  const [line, ...lines] = bytes.subarray(0, at).toString('latin1').split('\r\n')
  const headers = new Headers(
    lines.map((one): [string, string] => [one.slice(0, one.indexOf(':')), one.slice(one.indexOf(':') + 1)]),
  )
  const status = Number(line!.split(' ')[1])
  const body = bytes.subarray(at + headEnd.length)
  if (isStream({ status, headers, text: '' })) return { answer: { status, headers, text: '' }, rest: Buffer.alloc(0) }
  if (headers.get('transfer-encoding') === 'chunked') {
    const whole = chunksIn(body)
    return whole && { answer: { status, headers, text: whole.text }, rest: whole.rest }
  }
  const length = Number(headers.get('content-length') ?? 0)
  if (body.length < length) return null
  return { answer: { status, headers, text: body.subarray(0, length).toString() }, rest: body.subarray(length) }
}

function chunksIn(bytes: Buffer): { text: string; rest: Buffer } | null {
  const parts: Buffer[] = []
  let rest = bytes
  for (let at = rest.indexOf('\r\n'); at >= 0; at = rest.indexOf('\r\n')) {
    const size = Number.parseInt(rest.subarray(0, at).toString(), 16)
    if (rest.length < at + size + 4) return null
    parts.push(rest.subarray(at + 2, at + 2 + size))
    rest = rest.subarray(at + size + 4)
    if (size === 0) return { text: Buffer.concat(parts).toString(), rest }
  }
  return null
}

type Open = { socket: Socket; heard: Buffer; wake: () => void; isClosed: boolean }

function open(port: number): Open {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  const line: Open = { socket, heard: Buffer.alloc(0), wake: () => {}, isClosed: false }
  const close = () => {
    line.isClosed = true
    line.wake()
  }
  socket.on('data', (bytes: Buffer) => {
    line.heard = Buffer.concat([line.heard, bytes])
    line.wake()
  })
  socket.on('end', () => socket.end())
  socket.on('error', close)
  socket.on('close', close)
  return line
}

const nextNews = (line: Open) =>
  new Promise<void>((resolve) => {
    line.wake = resolve
    if (line.isClosed) resolve()
  })

/** The next real response: `100 Continue` only requests the body. */
function taken(line: Open): Answer | null {
  const found = firstIn(line.heard)
  if (!found) return null
  line.heard = found.rest
  return found.answer.status < 200 ? taken(line) : found.answer
}

/** Connections to a running API: one kept for HTTP, and a new one for each piece of other bytes. */
export function wire(port: number) {
  let kept: Open | null = null

  return {
    /** The response to one request on the kept connection. */
    async ask(bytes: Buffer): Promise<Answer> {
      const line = kept && !kept.isClosed ? kept : open(port)
      kept = line
      line.socket.write(bytes)
      let answer = taken(line)
      while (!answer && !line.isClosed) {
        await nextNews(line)
        answer = taken(line)
      }
      if (!answer) throw new Error(`No answer to ${bytes.subarray(0, 300)}`)
      if (isStream(answer)) line.socket.destroy()
      return answer
    },

    /** Every response to these bytes until the connection is silent. */
    async throwAt(bytes: Buffer): Promise<Answer[]> {
      const line = open(port)
      line.socket.end(bytes)
      const answers: Answer[] = []
      const takeAll = () => {
        for (let answer = taken(line); answer; answer = taken(line)) {
          answers.push(answer)
          if (isStream(answer)) line.socket.destroy()
        }
      }
      takeAll()
      while (!line.isClosed) {
        await nextNews(line)
        takeAll()
      }
      return answers
    },

    close: () => kept?.socket.destroy(),
  }
}
