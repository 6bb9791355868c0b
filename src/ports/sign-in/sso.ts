import type { DomainClaim } from '../../domain/tenant/sso'
import type { Records } from '../records'

export type DomainClaims = Records<DomainClaim>

/** The TXT records of a name; null when no name server answered. */
export type LookUpTexts = (name: string) => Promise<string[] | null>

/** An OpenID provider as we know it, with the secret in plain text. */
export type Provider = { issuer: string; clientId: string; clientSecret: string }

/** What has to be kept from when somebody was sent to a provider until they come back. */
type Begun = { state: string; nonce: string; verifier: string }
type Wish = {
  redirectUri: string
  /** The address to suggest. */
  email: string | null
  /** Whether the provider shall ask again though somebody is signed in there. */
  isAgain: boolean
}

/** Signs people in by OpenID Connect. No method says what a provider said when it fails. */
export interface OpenId {
  /** Whether there is an OpenID provider whose name is this issuer. */
  isProvider(issuer: string): Promise<boolean>
  /** @returns where to send the browser; null when the provider cannot be reached or is none. */
  begin(provider: Provider, wish: Wish): Promise<(Begun & { url: string }) | null>
  /**
   * Checks state, issuer, audience, nonce, times and signature of what came back.
   *
   * @returns what the provider claims of the person; `DENIED` when the person or the provider refused to sign in there,
   *   `UNAVAILABLE` when the provider could not be asked, and null when any check fails.
   */
  finish(
    provider: Provider,
    came: Begun & { redirectUri: string; query: URLSearchParams; isAgain: boolean },
  ): Promise<Record<string, unknown> | 'DENIED' | 'UNAVAILABLE' | null>
}
