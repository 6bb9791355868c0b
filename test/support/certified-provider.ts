import { afterAll } from 'bun:test'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import type { Directory } from './directories'

type Provider = { callback(): Parameters<typeof createServer>[1] }
type Made = new (issuer: string, settings: object) => Provider

/** A directory with a scope for groups states them only if it is requested. */
function settingsOf({ idToken, userInfo, scopes }: Directory): object {
  const ownScope = scopes.includes('groups')
  const ofPerson = { email: ['email', 'email_verified'], profile: ['name'] }
  return {
    conformIdTokenClaims: false,
    scopes: ['openid', 'offline_access', ...(ownScope ? ['groups'] : [])],
    claims: { openid: ownScope ? ['sub'] : ['sub', 'groups'], ...(ownScope && { groups: ['groups'] }), ...ofPerson },
    findAccount: (_context: object, id: string) => ({
      accountId: id,
      claims: (use: string) => ({ ...(use === 'id_token' ? idToken : userInfo), sub: id }),
    }),
  }
}

async function signingKey(kid: string): Promise<object> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid, alg: 'RS256', use: 'sig' }
}

/**
 * Starts a certified OpenID provider (`oidc-provider`) on this machine. It requires PKCE, and returns the e-mail
 * address only from its userinfo endpoint, as the specification requires. It signs in any login entered on its page.
 *
 * @param options.host Host name of the provider on this machine.
 * @param options.directory States what this directory states, in the ID token and in userinfo. The login is its `sub`.
 */
export async function certifiedProvider({
  clientId = 'switchyard',
  clientSecret = 'certified-secret',
  host = '127.0.0.1',
  directory = null as Directory | null,
} = {}) {
  const { default: Made } = (await import('oidc-provider' as string)) as { default: Made }
  let callback: Parameters<typeof createServer>[1] = () => {}
  const server = createServer((request, response) => callback?.(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => server.close())
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`
  const keys = [await signingKey('first')]

  function start(redirectUri: string): void {
    const made = new Made(issuer, {
      clients: [
        {
          client_id: clientId,
          client_secret: clientSecret,
          redirect_uris: [redirectUri],
          // A native client may use plain http on this machine, as the devnet does.
          application_type: 'native',
        },
      ],
      pkce: { required: () => true },
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
      findAccount: (_context: object, id: string) => ({
        accountId: id,
        claims: () => ({ sub: id, email: id, email_verified: true, name: 'Ada' }),
      }),
      ...(directory && settingsOf(directory)),
      cookies: { keys: ['a key of this test'] },
      jwks: { keys },
    })
    callback = made.callback()
  }

  /** Follows the provider's pages as a browser does. @returns the URL that the provider redirects to. */
  async function walk(from: string, login: string): Promise<URL> {
    const cookies = new Map<string, string>()
    let url = new URL(from)
    let sent: RequestInit = {}
    for (let step = 0; step < 12; step++) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const response = await fetch(url, { ...sent, redirect: 'manual', headers: { cookie } })
      for (const each of response.headers.getSetCookie()) {
        const [name, value] = each.split(';')[0]!.split(/=(.*)/s) as [string, string]
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      const to = response.headers.get('location')
      if (to) {
        url = new URL(to, url)
        if (url.origin !== issuer) return url
        sent = {}
        continue
      }
      const page = await response.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (!prompt) throw new Error(`${url} answers ${response.status}: ${page.slice(0, 300)}`)
      sent = { method: 'POST', body: new URLSearchParams({ prompt, login, password: 'any' }) }
    }
    throw new Error('The provider asks without end')
  }

  return {
    issuer,
    clientId,
    clientSecret,
    start,
    walk,
    stop(): void {
      server.close()
      server.closeAllConnections()
    },
    /** Replaces the signing key. The old key is no longer published. */
    async rotate(redirectUri: string): Promise<void> {
      keys.splice(0, keys.length, await signingKey('second'))
      start(redirectUri)
    },
  }
}
