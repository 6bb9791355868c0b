import type { Via } from '../domain/tenant/sso'

/** A member who signs in to the dashboard. */
export type Person = { id: string; email: string; name: string }

export type SignedIn = {
  person: Person & { hasSecondStep: boolean; isVerified: boolean }
  sessionId: string
  /** When the session began. */
  beganAt: number
  /** When this session last proved the second step; null if never. */
  secondStepAt: number | null
  /** The connection that began the session, which limits what it shows; null if a password began it. */
  via: Via | null
}

/** The person whom an organization's identity provider means by an address. */
type PersonAt = {
  person: Person
  /** Whether the person, or a provider, has proved ownership of the address. */
  isConfirmed: boolean
  /** Whether this provider has already linked the person to another of its users. */
  isTaken: boolean
  /** Whether the person can also sign in with a password. A stranger may have chosen it. */
  hasPassword: boolean
}

/** Identifies people, but does not know their permissions. Passwords and sessions never leave it. */
export interface Identity {
  /** Serves the pages for sign-up, sign-in, sign-out, sessions, passwords and the second step. */
  answer(request: Request): Promise<Response>
  signedIn(headers: Headers): Promise<SignedIn | null>
  /** Returns the people that exist, in no particular order. */
  people(ids: readonly string[]): Promise<Person[]>
  findByEmail(email: string): Promise<Person | null>
  /** Returns the subject of a request: by the given address or link token, otherwise by session or second step. */
  subjectOf(headers: Headers, named: { email?: string; token?: string }): Promise<Person | null>
  /** Notes that a session has just proved the second step. */
  noteSecondStep(sessionId: string, at: number): Promise<void>
  /**
   * Notes the same and replaces the session's cookie. The response carries the new one, and every copy of the old one
   * ends.
   */
  renew(sessionId: string, secondStepAt: number): Promise<Response>
  /** Returns the number of unused backup codes of a person with a second step. */
  backupCodesLeft(personId: string): Promise<number>
  /** E-mails a person that a backup code of theirs was used, and how many are left. */
  reportBackupCode(personId: string): Promise<void>
  /** From now on, every device of the person must prove the second step. */
  forgetDevices(personId: string): Promise<void>
  /** Returns an unforgeable mark for a device that signed in with this address. */
  markOf(email: string): Promise<string>
  isMarkOf(email: string, mark: string): Promise<boolean>
  /** Returns a keyed hash that recognises an address even after its person is erased. It needs our secret. */
  traceOf(email: string): Promise<string>
  /** Returns the person linked to a user of a provider. */
  linkedWith(connectionId: string, sub: string): Promise<Person | null>
  /** Returns the person with an address, and creates the person if there is none. */
  personAt(connectionId: string, named: { email: string; name: string }): Promise<PersonAt>
  /** Links a user of a provider with a person. @returns whether they are linked now. */
  link(connectionId: string, sub: string, personId: string): Promise<boolean>
  /**
   * Begins a session that is bound to a connection. The response carries its cookie.
   *
   * @param provedAt When the person authenticated at the provider, which counts as the second step.
   */
  beginVia(personId: string, via: Via, provedAt: number): Promise<Response>
  /** Ends every session that a connection began, and forgets the people linked to it. */
  endVia(connectionId: string): Promise<void>
  /**
   * Creates a person, for seeds and installations.
   *
   * @returns The existing person if the address is taken.
   */
  create(person: { email: string; name: string; password: string }): Promise<Person>
}

type Letter = { to: string; subject: string; text: string }

/** Sends an e-mail. Null when no mail server is configured: links then go to the log. */
export type SendEmail = ((letter: Letter) => Promise<void>) | null
