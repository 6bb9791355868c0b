import { TemporarilyUnavailable } from '../../domain/unavailable'

/** Retry delays in milliseconds: while the service is away, and after a refusal that only an operator can fix. */
const [awayMs, refusedMs] = [2_000, 30_000]

/**
 * A key management service returned no valid signature. The message completes the sentence "The key …" and contains
 * only this project's own words.
 */
export class KeyFailure extends Error {
  override name = 'KeyFailure'

  /** @param isAway Whether it might work again without an operator's action. */
  constructor(
    message: string,
    readonly isAway: boolean,
  ) {
    super(message)
  }

  /** Returns the failure as a wait, because the order is not at fault. */
  asWait(): TemporarilyUnavailable {
    return new TemporarilyUnavailable('the key', this.isAway ? awayMs : refusedMs, 'SIGNER', { cause: this })
  }
}

/** Returns a service's code if it is a name or a number. Any other text becomes `Error`. */
export const safeCode = (code: unknown): string => (/^[\w.-]{1,64}$/.test(String(code)) ? String(code) : 'Error')
