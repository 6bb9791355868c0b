import type { Via } from '../domain/tenant/sso'

/** Somebody who signs in to the dashboard. */
export type Person = { id: string; email: string; name: string }

export type SignedIn = {
  person: Person & { hasSecondStep: boolean; isVerified: boolean }
  sessionId: string
  /** When the session began. */
  beganAt: number
  /** When this session last proved the second step; null when it never did. */
  secondStepAt: number | null
  /** The connection by which the session began, which bounds what it shows; null when a password began it. */
  via: Via | null
}

/** Whom an identity provider of an organization means by an address. */
type PersonAt = {
  person: Person
  /** Whether the person, or a provider, has proved that the address is theirs. */
  isConfirmed: boolean
  /** Whether somebody else at this provider is this person already. */
  isTaken: boolean
  /** Whether the person can sign in with a password as well, which somebody else may have chosen. */
  hasPassword: boolean
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
  /** Notes the same, and gives the session another cookie, which the answer carries: every copy of it ends. */
  renew(sessionId: string, secondStepAt: number): Promise<Response>
  /** From now on, every device of the person is asked for the second step. */
  forgetDevices(personId: string): Promise<void>
  /** Returns a mark for a device from which this address signed in. Nobody else can make one. */
  markOf(email: string): Promise<string>
  isMarkOf(email: string, mark: string): Promise<boolean>
  /** Returns a hash by which an address is known again, also when its person is erased. It needs our secret. */
  traceOf(email: string): Promise<string>
  /** Returns the person with whom somebody at a provider was linked. */
  linkedWith(connectionId: string, sub: string): Promise<Person | null>
  /** Returns the person with an address, and makes one when there is none. */
  personAt(connectionId: string, named: { email: string; name: string }): Promise<PersonAt>
  /** Links somebody at a provider with a person. @returns whether they are linked now. */
  link(connectionId: string, sub: string, personId: string): Promise<boolean>
  /**
   * Begins a session that is bound to a connection. The answer carries its cookie.
   *
   * @param provedAt When the person proved to the provider who they are, which is the second step.
   */
  beginVia(personId: string, via: Via, provedAt: number): Promise<Response>
  /** Ends every session that began by a connection, and forgets whom it was linked with. */
  endVia(connectionId: string): Promise<void>
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
