/** Somebody who signs in to the dashboard. */
export type Person = { id: string; email: string; name: string }

export type SignedIn = {
  person: Person & { hasSecondStep: boolean; isVerified: boolean }
  sessionId: string
  /** When this session last proved the second step; null when it never did. */
  secondStepAt: number | null
}

/** Knows who somebody is, and nothing of what they may do. Passwords and sessions never leave it. */
export interface Identity {
  /** Answers the pages: sign-up, sign-in, sign-out, sessions, passwords and the second step. */
  answer(request: Request): Promise<Response>
  signedIn(headers: Headers): Promise<SignedIn | null>
  /** Returns the people that exist, in no order. */
  people(ids: readonly string[]): Promise<Person[]>
  findByEmail(email: string): Promise<Person | null>
  /** Returns whom a request is about: by an address or a link's token when given, else by session or second step. */
  subjectOf(headers: Headers, named: { email?: string; token?: string }): Promise<Person | null>
  /** Notes that a session has just proved the second step. */
  noteSecondStep(sessionId: string, at: number): Promise<void>
  /** From now on, every device of the person is asked for the second step. */
  forgetDevices(personId: string): Promise<void>
  /** Returns a mark for a device from which this address signed in. Nobody else can make one. */
  markOf(email: string): Promise<string>
  isMarkOf(email: string, mark: string): Promise<boolean>
  /**
   * Creates a person, for seeds and installations.
   *
   * @returns The existing person when the address is taken.
   */
  create(person: { email: string; name: string; password: string }): Promise<Person>
}

type Letter = { to: string; subject: string; text: string }

/** Sends a letter; null when no mail server is configured, in which case links are written to the log. */
export type SendLetter = ((letter: Letter) => Promise<void>) | null
