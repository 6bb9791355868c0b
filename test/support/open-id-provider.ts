import { afterAll } from 'bun:test'
import { createHash, randomBytes } from 'node:crypto'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import type { LookUpTexts, OpenId } from '../../src/ports/people'

/** For worlds without single sign-on. */
export const noSso: { openId: OpenId; lookUpTexts: LookUpTexts } = {
  openId: { isProvider: async () => false, begin: async () => null, finish: async () => null },
  lookUpTexts: async () => [],
}

type Claims = Record<string, unknown>
/** Faults of a provider. */
type Fault = Partial<{
  iss: string
  aud: string
  nonce: string
  exp: number
  isForged: boolean
  alg: 'none'
  isDown: boolean
  /** Status of its userinfo endpoint. */
  userInfoStatus: number
}>
type Granted = {
  claims: Claims
  userInfo: Claims
  fault: Fault
  nonce: string
  challenge: string
  redirectUri: string
}

const encoded = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/**
 * An OpenID provider on this machine. A test sets the person whom it signs in, and the faults of its tokens.
 *
 * @param options.scopes The scopes that it offers.
 */
export async function openIdProvider({
  clientId = 'switchyard',
  clientSecret = 'secret:%+/=~',
  scopes = ['openid', 'email', 'profile'] as readonly string[],
} = {}) {
  const [own, foreign] = await Promise.all([generateKeyPair('RS256'), generateKeyPair('RS256')])
  const key = { ...(await exportJWK(own.publicKey)), kid: 'own', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, Granted>()
  /** Sign-ins by their access token. */
  const signedIn = new Map<string, Granted>()
  let offered = scopes
  /** Claims of the person whom the provider's page signs in, without a prompt. */
  let atThePage: Claims = {}

  async function idToken({ claims, fault, nonce }: Granted): Promise<string> {
    const now = Math.floor(Date.now() / 1_000)
    const payload = {
      iss: fault.iss ?? issuer,
      aud: fault.aud ?? clientId,
      nonce: fault.nonce ?? nonce,
      iat: now,
      exp: fault.exp ?? now + 300,
      ...claims,
    }
    if (fault.alg === 'none') return `${encoded({ alg: 'none' })}.${encoded(payload)}.`
    const { privateKey } = fault.isForged ? foreign : own
    return new SignJWT(payload).setProtectedHeader({ alg: 'RS256', kid: 'own' }).sign(privateKey)
  }

  async function token(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const granted = codes.get(form.get('code') ?? '')
    if (granted?.fault.isDown) return new Response('<h1>Bad gateway</h1>', { status: 502 })
    codes.delete(form.get('code') ?? '')
    const [, basic = ''] = (request.headers.get('authorization') ?? '').split(' ')
    const sent = atob(basic).split(':').map(decodeURIComponent)
    const verifier = form.get('code_verifier') ?? ''
    const isGood =
      sent[0] === clientId &&
      sent[1] === clientSecret &&
      granted?.redirectUri === form.get('redirect_uri') &&
      granted.challenge === createHash('sha256').update(verifier).digest('base64url')
    if (!isGood) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    const accessToken = randomBytes(16).toString('hex')
    signedIn.set(accessToken, granted)
    return Response.json({ access_token: accessToken, token_type: 'bearer', id_token: await idToken(granted) })
  }

  function userInfo(request: Request): Response {
    const granted = signedIn.get((request.headers.get('authorization') ?? '').replace(/^bearer /i, ''))
    if (!granted) return new Response(null, { status: 401 })
    const { claims, userInfo, fault } = granted
    return Response.json({ sub: claims['sub'], ...userInfo }, { status: fault.userInfoStatus ?? 200 })
  }

  const server: { port: number | undefined; stop(now: boolean): Promise<void> } = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request): Promise<Response> {
      const { pathname } = new URL(request.url)
      if (pathname === '/authorize') return Response.redirect(signIn(request.url, atThePage), 302)
      if (pathname === '/.well-known/openid-configuration')
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/userinfo`,
          scopes_supported: offered,
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: ['RS256'],
        })
      if (pathname === '/keys') return Response.json({ keys: [key] })
      if (pathname === '/userinfo') return userInfo(request)
      return pathname === '/token' ? token(request) : new Response(null, { status: 404 })
    },
  })
  const issuer: string = `http://127.0.0.1:${server.port}`
  afterAll(() => server.stop(true))

  /** Signs a redirected person in. Returns the URL that the browser visits next. */
  function signIn(sentTo: string, claims: Claims, fault: Fault = {}, userInfo: Claims = {}): string {
    const { searchParams: query } = new URL(sentTo)
    const unknown = (query.get('scope') ?? '').split(' ').filter((each) => !offered.includes(each))
    if (unknown.length > 0) throw new Error(`The provider refuses the scopes ${unknown}`)
    const code = randomBytes(16).toString('hex')
    const redirectUri = query.get('redirect_uri')!
    codes.set(code, {
      claims,
      userInfo,
      fault,
      nonce: query.get('nonce')!,
      challenge: query.get('code_challenge')!,
      redirectUri,
    })
    return `${redirectUri}?${new URLSearchParams({ code, state: query.get('state')! })}`
  }
  const signsIn = (claims: Claims): void => {
    atThePage = claims
  }
  const offers = (scopes: readonly string[]): void => {
    offered = scopes
  }
  return { issuer, clientId, clientSecret, signIn, signsIn, offers }
}
