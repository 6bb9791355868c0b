import { TemporarilyUnavailable } from '../../domain/unavailable'

/** How soon something is signed again: while the service is away, and after it refused what only an operator mends. */
const [awayMs, refusedMs] = [2_000, 30_000]

/**
 * A key management service gives no signature. The message completes the sentence "The key …" and holds nothing but
 * what this project says itself.
 */
export class KeyFailure extends Error {
  override name = 'KeyFailure'

  /** @param isAway Whether it may work again without anybody doing anything. */
  constructor(
    message: string,
    readonly isAway: boolean,
  ) {
    super(message)
  }

  /** The same for whoever has something to sign, who waits: it is no fault of the order. */
  asWait(): TemporarilyUnavailable {
    return new TemporarilyUnavailable('the key', this.isAway ? awayMs : refusedMs, 'SIGNER', { cause: this })
  }
}

/** A code of a service as it may be shown: a name or a number, and no text. */
export const shownCode = (code: unknown): string => (/^[\w.-]{1,64}$/.test(String(code)) ? String(code) : 'Error')
