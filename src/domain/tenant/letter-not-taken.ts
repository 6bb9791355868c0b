/** A letter that the mail server did not take. Of any other fault nobody knows whether the letter arrives after all. */
export class LetterNotTaken extends Error {
  constructor(
    /** Whether it says that it will never take a letter to this address. */
    readonly isForEver: boolean,
    options?: ErrorOptions,
  ) {
    super('The mail server did not take a letter', options)
  }
}
