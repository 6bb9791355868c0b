import type { Claims, DomainClaim } from '../../domain/tenant/sso'
import type { Records } from '../records'

export type DomainClaims = Records<DomainClaim>

/** The TXT records of a name; null if no name server answered. */
export type LookUpTexts = (name: string) => Promise<string[] | null>

/** An OpenID provider as configured, with the secret in plain text. */
export type Provider = { issuer: string; clientId: string; clientSecret: string }

/** The values to keep while a person is at the provider. */
type Begun = { state: string; nonce: string; verifier: string }
type Wish = {
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
  begin(provider: Provider, wish: Wish): Promise<(Begun & { url: string }) | null>
  /**
   * Checks the state, issuer, audience, nonce, times and signature of the response.
   *
   * @returns the provider's claims about the person, as `claimsOf` decides; `DENIED` if the person or the provider
   * refused the sign-in, `UNAVAILABLE` if the provider was unreachable, and null if any check fails.
   */
  finish(
    provider: Provider,
    came: Begun & { redirectUri: string; query: URLSearchParams; isAgain: boolean; needsGroups: boolean },
  ): Promise<Claims | 'DENIED' | 'UNAVAILABLE' | null>
}
