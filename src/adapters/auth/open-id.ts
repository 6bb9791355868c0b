import { claimsOf, needsUserInfo } from '../../domain/tenant/sso'
import type { OpenId, Provider } from '../../ports/people'

type Client = typeof import('openid-client')
/** Reaches only the public Internet. */
type Fetch = (url: string, init: { method?: string; headers?: HeadersInit; body?: unknown }) => Promise<Response>
type Settings = {
  fetch: Fetch
  /** Whether providers may be reached without TLS. True only if all money is test money. */
  isPlainAllowed: boolean
  now: () => number
}

const scope = 'openid email profile'
/** Okta's own server has a scope for groups. Other providers refuse an unknown scope. */
const scopeFor = ({ scopes_supported: offered }: { scopes_supported?: string[] }, needsGroups: boolean): string =>
  needsGroups && offered?.includes('groups') ? `${scope} groups` : scope
/**
 * If a fresh sign-in is required, it must be this recent, in seconds. Providers that return no time are not checked.
 */
const againSeconds = 300
const timeoutSeconds = 10

/** Signs people in with OpenID Connect: the authorization code flow, with PKCE. The library is loaded on first use. */
export function openIdClient({ fetch: reach, isPlainAllowed, now }: Settings): OpenId {
  async function discover(client: Client, { issuer, clientId, clientSecret }: Provider, fetch: Fetch = reach) {
    const config = await client.discovery(new URL(issuer), clientId, { client_secret: clientSecret }, undefined, {
      [client.customFetch]: (url, init) => fetch(url, init),
      timeout: timeoutSeconds,
      execute: [client.enableNonRepudiationChecks, ...(isPlainAllowed ? [client.allowInsecureRequests] : [])],
    })
    const metadata = config.serverMetadata()
    // The common issuers of Entra ID accept every directory, not only the organization's.
    if (new URL(metadata.issuer).href !== new URL(issuer).href || /[{}]/.test(metadata.issuer))
      throw new TypeError('The provider has a different issuer')
    const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
    if (!methods.includes('client_secret_basic')) return config
    const basic = new client.Configuration(metadata, clientId, {}, client.ClientSecretBasic(clientSecret))
    basic[client.customFetch] = (url, init) => fetch(url, init)
    basic.timeout = timeoutSeconds
    client.enableNonRepudiationChecks(basic)
    if (isPlainAllowed) client.allowInsecureRequests(basic)
    return basic
  }
  const isSafe = (url: URL) => url.protocol === 'https:' || (isPlainAllowed && url.protocol === 'http:')
  /** Turns every fault of a provider into null, so none of its text reaches a person or a log. */
  const orNull = <Value>(request: (client: Client) => Promise<Value>): Promise<Value | null> =>
    import('openid-client').then((client) => request(client).catch(() => null))

  return {
    async isProvider(issuer) {
      const isUsable = await orNull(async (client) => {
        const config = await discover(client, { issuer, clientId: 'none', clientSecret: 'none' })
        const { authorization_endpoint: to, token_endpoint: from, jwks_uri: keys } = config.serverMetadata()
        return [to, from, keys].every((each) => each !== undefined && isSafe(new URL(each)))
      })
      return isUsable === true
    },
    begin: (provider, { redirectUri, email, isAgain, needsGroups }) =>
      orNull(async (client) => {
        const config = await discover(client, provider)
        const [state, nonce, verifier] = [client.randomState(), client.randomNonce(), client.randomPKCECodeVerifier()]
        const url = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: scopeFor(config.serverMetadata(), needsGroups),
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
          ...(email !== null && { login_hint: email }),
          ...(isAgain && { prompt: 'login' }),
        })
        return isSafe(url) ? { url: url.href, state, nonce, verifier } : null
      }),
    async finish(provider, { state, nonce, verifier, redirectUri, query, isAgain, needsGroups }) {
      const { fetch, isDown } = watched(reach)
      const ask = async (client: Client) => {
        const config = await discover(client, provider, fetch)
        const tokens = await client.authorizationCodeGrant(config, new URL(`${redirectUri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()!
        if (isAgain && isStale(claims.auth_time, now())) return null
        if (!needsUserInfo(claims, { needsGroups }) || !config.serverMetadata().userinfo_endpoint) return claims
        return claimsOf(claims, await client.fetchUserInfo(config, tokens.access_token, claims.sub))
      }
      const answer = await orNull((client) =>
        ask(client).catch((error) => {
          // The library has already compared state and issuer, so this response is the provider's own.
          if (error instanceof client.AuthorizationResponseError && error.error === 'access_denied')
            return 'DENIED' as const
          throw error
        }),
      )
      return answer ?? (isDown() ? 'UNAVAILABLE' : null)
    },
  }
}

/**
 * Notes whether a request got no response or a server error. The provider is then down, and the result proves nothing.
 */
function watched(reach: Fetch): { fetch: Fetch; isDown: () => boolean } {
  let isDown = false
  const fetch: Fetch = async (url, init) => {
    const response = await reach(url, init).catch((error: unknown) => {
      isDown = true
      throw error
    })
    if (response.status >= 500) isDown = true
    return response
  }
  return { fetch, isDown: () => isDown }
}

/** A provider may leave out `auth_time`, and the sign-in then counts as fresh. */
const isStale = (authTime: unknown, now: number): boolean =>
  typeof authTime === 'number' && authTime < now / 1_000 - againSeconds
