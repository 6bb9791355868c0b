import fc from 'fast-check'
import type { FuzzRequest } from './requests'

/** The bytes of a request, one character for each, and whether they are HTTP. Other bytes need no response. */
export type Sent = { bytes: string; isHttp: boolean; requests: FuzzRequest[] }

const end = '\r\n'
const host = 'Host: localhost'

const headOf = ({ method, path, key, headers }: FuzzRequest, more: string[]): string => {
  const { pathname, search } = new URL(`http://localhost${path}`)
  const named = Object.entries({ ...(key && { 'x-api-key': key }), ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  return [`${method} ${pathname}${search} HTTP/1.1`, host, ...named, ...more].join(end) + end + end
}
const typed = ({ headers }: FuzzRequest): string[] =>
  'content-type' in headers ? [] : ['content-type: application/json']

/** A complete request with a body of declared length. */
const whole = (asked: FuzzRequest): Buffer => {
  const { 'content-length': _, ...headers } = asked.headers
  const { content } = asked
  if (content === undefined) return Buffer.from(headOf({ ...asked, headers }, []))
  const length = `content-length: ${Buffer.byteLength(content)}`
  return Buffer.from(headOf({ ...asked, headers }, [...typed(asked), length]) + content)
}

/** The same request with its body in chunks. */
const inChunks = (asked: FuzzRequest, size: number): Buffer => {
  const { 'content-length': _, ...headers } = asked.headers
  const content = Buffer.from(asked.content ?? '')
  const parts = [Buffer.from(headOf({ ...asked, headers }, [...typed(asked), 'transfer-encoding: chunked']))]
  for (let at = 0; at < content.length; at += size) {
    const part = content.subarray(at, at + size)
    parts.push(Buffer.from(part.length.toString(16) + end), part, Buffer.from(end))
  }
  return Buffer.concat([...parts, Buffer.from(`0${end}${end}`)])
}

const lengths = ['abc', '-1', '+5', '1e3', '0x10', '5, 6', '', ' ', '9'.repeat(20), '18446744073709551616', '5;q=1']
const chunkSizes = ['zz', '-1', 'F'.repeat(16), 'F'.repeat(17), '', ' ', '1;', '5 5', '0x5']
const lines = [
  '',
  'GET',
  'GET /',
  'GET / HTTP/9.9',
  'GET / HTTP/1.0',
  'GET  / HTTP/1.1',
  'get /api/health HTTP/1.1',
  'BREW /api/health HTTP/1.1',
  'TRACE /api/health HTTP/1.1',
  'CONNECT localhost:80 HTTP/1.1',
  'PRI * HTTP/2.0',
  'OPTIONS * HTTP/1.1',
  'GET http://[::1 HTTP/1.1',
  'GET /api/%zz HTTP/1.1',
  'GET /api/\u0000 HTTP/1.1',
  'GET /\u00e4 HTTP/1.1',
  `GET /${'a'.repeat(70_000)} HTTP/1.1`,
  `${'G'.repeat(70_000)} / HTTP/1.1`,
]
const headerLines = [
  'no colon',
  ': no name',
  'space : before',
  'nul: \u0000',
  ' folded: 1',
  'bare: \n lf',
  `huge: ${'x'.repeat(40_000)}`,
  Array.from({ length: 3_000 }, (_, n) => `h${n}: 1`).join(end),
  'content-length: 1\r\ncontent-length: 2',
  'content-length: 4\r\ntransfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'transfer-encoding: chunked, identity',
  'upgrade: websocket\r\nconnection: upgrade',
  'expect: 100-continue',
  'host: another',
]

const broken = (asked: FuzzRequest): fc.Arbitrary<Buffer> => {
  const body = asked.content ?? '{"a":1}'
  const post: FuzzRequest = { ...asked, method: 'POST', headers: {} }
  const of = (more: string[], text: string) => Buffer.from(headOf(post, [...typed(post), ...more]) + text)
  return fc.oneof(
    fc.constantFrom(...lengths).map((length) => of([`content-length: ${length}`], body)),
    fc.integer({ min: 1, max: 9_000_000_000 }).map((more) => of([`content-length: ${body.length + more}`], body)),
    fc.nat(Math.max(body.length - 1, 0)).map((length) => of([`content-length: ${length}`], body)),
    fc
      .constantFrom(...chunkSizes)
      .map((size) => of(['transfer-encoding: chunked'], `${size}${end}${body}${end}0${end}${end}`)),
    fc.constantFrom(...headerLines).map((line) => of([line], body)),
    fc.constantFrom(...lines).map((line) => Buffer.from(`${line}${end}${host}${end}${end}`)),
    fc.nat(200).map((at) => whole(asked).subarray(0, at)),
    fc.nat(200).map((at) => inChunks(asked, 7).subarray(0, at)),
    fc.uint8Array({ minLength: 1, maxLength: 200 }).map((noise) => Buffer.from(noise)),
    fc.tuple(fc.nat(150), fc.uint8Array({ minLength: 1, maxLength: 3 })).map(([at, noise]) => {
      const bytes = whole(asked)
      return Buffer.concat([bytes.subarray(0, at), Buffer.from(noise), bytes.subarray(at)])
    }),
  )
}

const said = (bytes: Buffer): string => bytes.toString('latin1')

/** A request as bytes. Most are valid, in one piece or in chunks. Some come several at once, and some are not HTTP. */
export const bytesOf = (asked: fc.Arbitrary<FuzzRequest>): fc.Arbitrary<Sent> =>
  fc.oneof(
    { weight: 5, arbitrary: asked.map((one) => ({ bytes: said(whole(one)), isHttp: true, requests: [one] })) },
    {
      weight: 2,
      arbitrary: fc.tuple(asked, fc.integer({ min: 1, max: 5_000 })).map(([one, size]) => ({
        bytes: said(one.content ? inChunks(one, size) : whole(one)),
        isHttp: true,
        requests: [one],
      })),
    },
    {
      weight: 1,
      arbitrary: fc
        .array(asked, { minLength: 2, maxLength: 5 })
        .map((all) => ({ bytes: said(Buffer.concat(all.map(whole))), isHttp: false, requests: all })),
    },
    {
      weight: 2,
      arbitrary: asked.chain((one) =>
        broken(one).map((bytes) => ({ bytes: said(bytes), isHttp: false, requests: [one] })),
      ),
    },
  )
