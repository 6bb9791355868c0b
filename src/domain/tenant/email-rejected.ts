/** The mail server rejected an e-mail. After any other error it is unknown whether the e-mail will arrive. */
export class EmailRejected extends Error {
  constructor(
    /** Whether the mail server rejects this address permanently. */
    readonly isForEver: boolean,
    options?: ErrorOptions,
  ) {
    super('The mail server rejected an e-mail', options)
  }
}
