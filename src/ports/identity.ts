/** Somebody who signs in to the dashboard. */
export type Person = { id: string; email: string; name: string }

export type SignedIn = {
  person: Person & { hasSecondStep: boolean; isVerified: boolean }
  sessionId: string
}

/** Who somebody is, and nothing of what they may do. Passwords and sessions never leave it. */
export interface Identity {
  /** Answers what the pages ask of it: sign-up, sign-in, sign-out, sessions, passwords, the second step. */
  answer(request: Request): Promise<Response>
  signedIn(headers: Headers): Promise<SignedIn | null>
  /** Those there are, in no order. */
  people(ids: readonly string[]): Promise<Person[]>
  findByEmail(email: string): Promise<Person | null>
  /** Whom a request is about: by an address or a link's token where that says it, else by session or second step. */
  subjectOf(headers: Headers, named: { email?: string; token?: string }): Promise<Person | null>
  /** From now on every device of the person is asked for the second step. */
  forgetDevices(personId: string): Promise<void>
  /** A mark for a device from which this address signed in; nobody else can make one. */
  markOf(email: string): Promise<string>
  isMarkOf(email: string, mark: string): Promise<boolean>
  /** For seeds and installations. @returns the one there is when the address is taken. */
  create(person: { email: string; name: string; password: string }): Promise<Person>
}

export type Letter = { to: string; subject: string; text: string }

/** Null where no mail server is configured: links are then shown in the log. */
export type SendLetter = ((letter: Letter) => Promise<void>) | null
