import { defer, firstValueFrom, of, retry, throwError } from 'rxjs'

/** Each attempt takes up to three seconds. A busy machine or an election can keep a server silent for longer. */
const attemptsMax = 10

/**
 * Opens the first connection to a server. A silent server gets further attempts. Any other failure, such as a refused
 * connection or an unknown host, is thrown immediately.
 */
export const firstConnection = <Connection>(
  open: () => Promise<Connection>,
  isSilence: (error: unknown) => boolean,
): Promise<Connection> =>
  firstValueFrom(
    defer(open).pipe(
      retry({ count: attemptsMax - 1, delay: (error) => (isSilence(error) ? of(null) : throwError(() => error)) }),
    ),
  )
