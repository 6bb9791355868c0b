import type { Appointment, MemberRole } from '../domain/tenant/member-role'
import type { NoticeBook, NoticeSettings } from '../domain/tenant/notices'
import type { Claims, DomainClaim, Via } from '../domain/tenant/sso'
import type { Records } from './records'

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

type Email = { to: string; subject: string; text: string }

/** Sends an e-mail. Null when no mail server is configured: links then go to the log. */
export type SendEmail = ((email: Email) => Promise<void>) | null

/** A named filter of the list of executions, as the query of the page's URL. Every member sees it if it is shared. */
export type SavedView = { name: string; query: string; isShared?: true }

/** `notices` and `views` are absent until the member chooses. `appointed` is absent in records of previous releases. */
export type Member = {
  personId: string
  role: MemberRole
  joinedAt: number
  appointed?: Appointment
  notices?: NoticeSettings
  views?: readonly SavedView[]
}

/**
 * All members of an organization in one document, so one condition decides each change. If two owners leave at the same
 * moment, the second is refused.
 */
export type Membership = {
  /** The organization's id. */
  id: string
  version: number
  members: Member[]
  /** People whom a member removed: an identity provider does not bring them back. The address is a keyed hash. */
  removed?: readonly { personId: string; address: string | null }[]
}

/** The notifications that are due to the members of each organization. */
export type NoticeBooks = Records<NoticeBook>

export interface Memberships extends Records<Membership> {
  ofPerson(personId: string): Promise<Membership[]>
}

export type Invitation = {
  id: string
  version: number
  organizationId: string
  /** Lower case. */
  email: string
  role: MemberRole
  /** SHA-256 of the link's token, in hex. The link itself is stored nowhere. */
  tokenDigest: string
  invitedBy: string
  /** The person who invited; null for an invitation made on the command line. Absent in older invitations. */
  invitedById?: string | null
  createdAt: number
  expiresAt: number
  acceptedAt: number | null
  withdrawnAt: number | null
}

export interface Invitations extends Records<Invitation> {
  /** Returns the invitation of a link that was not accepted. */
  findByToken(tokenDigest: string): Promise<Invitation | null>
  ofOrganization(organizationId: string): Promise<Invitation[]>
}

export type DomainClaims = Records<DomainClaim>

/** The TXT records of a name; null if no name server answered. */
export type LookUpTexts = (name: string) => Promise<string[] | null>

/** An OpenID provider as configured, with the secret in plain text. */
export type Provider = { issuer: string; clientId: string; clientSecret: string }

/** The values to keep while a person is at the provider. */
type SignInAttempt = { state: string; nonce: string; verifier: string }
type SignInRequest = {
  redirectUri: string
  /** The address to suggest. */
  email: string | null
  /** Whether the provider must authenticate again, even if a person is signed in there. */
  isAgain: boolean
  /** Whether the connection admits only people of certain groups, so the provider must state them. */
  needsGroups: boolean
}

/** Signs people in by OpenID Connect. No error contains the provider's text. */
export interface OpenId {
  /** Whether an OpenID provider with exactly this issuer name exists. */
  isProvider(issuer: string): Promise<boolean>
  /** @returns the URL for the browser; null if the provider is unreachable or not an OpenID provider. */
  begin(provider: Provider, request: SignInRequest): Promise<(SignInAttempt & { url: string }) | null>
  /**
   * Checks the state, issuer, audience, nonce, times and signature of the response.
   *
   * @returns the provider's claims about the person, as `claimsOf` decides; `DENIED` if the person or the provider
   * refused the sign-in, `UNAVAILABLE` if the provider was unreachable, and null if any check fails.
   */
  finish(
    provider: Provider,
    came: SignInAttempt & { redirectUri: string; query: URLSearchParams; isAgain: boolean; needsGroups: boolean },
  ): Promise<Claims | 'DENIED' | 'UNAVAILABLE' | null>
}

/** A request to erase a person or an organization. It is stored first, so a crash leaves nothing half done. */
export type Erasure = {
  id: string
  version: number
  kind: 'PERSON' | 'ORGANIZATION'
  /** The id of the person or the organization. */
  subject: string
  /** The person's e-mail address, used to find names; null for an organization, and after everything is removed. */
  email: string | null
  askedAt: number
  doneAt: number | null
}

export interface Erasures extends Records<Erasure> {
  /** Removes stored names and secrets everywhere. It is safe to repeat, and to run in two processes together. */
  carryOut(erasure: Erasure): Promise<void>
  /**
   * Repeats the erasures that were requested before a time and marks them as done. A crash might have interrupted one,
   * and a concurrent request might have stored a name after it. From then on, changes of an organization's recipients
   * are not held back. Returns the number of erasures.
   */
  finish(before: number): Promise<number>
}
