import { StoreRefusing, StoreUnavailable, StoreUnreachable } from '../../../domain/unavailable'
import { isRefusal } from './write-refusal'

type Thrown = { name?: unknown; code?: unknown; message?: unknown; cause?: unknown }
type Kind = {
  /** The driver's names for these errors. */
  names: RegExp
  /**
   * Messages of these errors. A bulk write keeps only the message of the driver's error, and FerretDB passes on
   * PostgreSQL's.
   */
  words: RegExp
  sockets: RegExp | null
  codes: readonly number[]
}

/**
 * The server is unreachable or the connection broke. The driver then has no server, and `connectMongo` reports that.
 */
const unreachable: Kind = {
  names:
    /^(PoolClearedOn|Mong(o|oose)(ServerSelection|NetworkError|NotConnected|PoolCl|(Server|Topology|Client)Closed))/,
  words: /^connection \S+ to .* closed|^Connection pool for \S+ was cleared|^(connect|read|write) E[A-Z]+/,
  sockets: /^(ECONN(RESET|REFUSED|ABORTED)|EPIPE|EHOSTUNREACH|ENETUNREACH|ConnectionRefused|ConnectionClosed)$/,
  codes: [],
}
/**
 * The server is slow, stopping, starting, or changing its primary. The codes form three groups: errors that the driver
 * itself lists as retryable, a majority that is missing or late, and a query whose server went away.
 */
const unavailable: Kind = {
  names: /^Mong(o|oose)(NetworkTimeout|OperationTimeout|WaitQueueTimeout|ExpiredSession)/,
  words: /^connection \S+ to .* timed out|terminating connection|database system is (start|shut|in)|failed to connect/,
  sockets: /^E?TIMEDOUT$/,
  codes: [
    ...[6, 7, 89, 91, 189, 262, 9001, 10058, 10107, 11600, 11602, 13435, 13436],
    ...[50, 64, 79, 100, 133, 134],
    ...[43, 175, 237, 11601],
  ],
}

function is(kind: Kind, thrown: unknown, depth = 0): boolean {
  if (typeof thrown !== 'object' || thrown === null || depth > 3) return false
  const { name, code, message, cause } = thrown as Thrown
  if (kind.names.test(String(name)) || (typeof code === 'string' && kind.sockets?.test(code))) return true
  const isServers = /^Mongo/.test(String(name))
  if (isServers && (kind.words.test(String(message)) || kind.codes.includes(code as number))) return true
  return is(kind, cause, depth + 1)
}

function coded(error: unknown): unknown {
  if (error instanceof StoreUnavailable) return error
  if (is(unreachable, error)) return new StoreUnreachable(error)
  if (is(unavailable, error)) return new StoreUnavailable('The store did not answer', { cause: error })
  return isRefusal(error) ? new StoreRefusing(error) : error
}

async function* codedEach(rows: AsyncIterable<unknown>): AsyncGenerator<unknown> {
  try {
    yield* rows
  } catch (error) {
    throw coded(error)
  }
}

type Method = (...given: unknown[]) => unknown

const wrapped =
  (method: Method, port: object): Method =>
  (...given) => {
    const answer = method.apply(port, given)
    if (typeof answer !== 'object' || answer === null) return answer
    // A Mongoose query is sent when it is awaited, but it can also be iterated, so `then` is checked first.
    if ('then' in answer)
      return Promise.resolve(answer).catch((error) => {
        throw coded(error)
      })
    return Symbol.asyncIterator in answer ? codedEach(answer as AsyncIterable<unknown>) : answer
  }

/**
 * Wraps a port. All of its methods then report a lost connection with one error. The driver's errors are translated
 * only here, so no caller takes an outage for a bug.
 *
 * @throws {StoreUnavailable} from all of its methods.
 */
export const withStoreErrors = <P extends object>(port: P): P =>
  Object.fromEntries(
    Object.entries(port).map(([name, member]) => [
      name,
      typeof member === 'function' ? wrapped(member as Method, port) : member,
    ]),
  ) as P

/** Wraps all ports of a store, and the functions of the store itself. */
export const withStoreErrorsEach = <S extends object>(store: S): S =>
  withStoreErrors(
    Object.fromEntries(
      Object.entries(store).map(([name, port]) => [
        name,
        typeof port === 'function' ? port : withStoreErrors(port as object),
      ]),
    ) as S,
  )
