import { gzipSync } from 'node:zlib'
import { Elysia } from 'elysia'
import { cookieNamesOf, cookieOf } from '../../../domain/tenant/sign-in-cookies'
import { hidden } from '../../openapi/operation-docs'
import { sendFile } from '../../request/compressed-file'
import { Refusal } from '../../request/failure'
import type { Pages } from './pages'
import { pageAt } from './script-preloads'

/** Allows nothing external and nothing inline, except Mantine's one style tag, which carries the nonce. */
const policy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    "font-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "object-src 'none'",
  ].join('; ')

/** Headers of scripts and styles. The headers of documents have no effect on them and would be sent with 26 files. */
const guardedFile = {
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** A file's name changes with its content, so browsers may keep it permanently. */
const fileHeaders = { ...guardedFile, 'cache-control': 'public, max-age=31536000, immutable' } as const

const guarded = {
  ...guardedFile,
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
} as const

/**
 * Whether a session cookie was sent. It only decides what the page shows until its scripts run; each of their requests
 * checks the session.
 */
const hasSession = ({ headers }: Request, origin: string): boolean =>
  cookieOf(headers, cookieNamesOf(origin).session) !== undefined

/** Every address under /app serves the same page, and the browser decides what it shows. */
export function pageRoutes(pages: Pages, origin: string) {
  const isSecure = origin.startsWith('https:')
  async function page(request: Request, path: string): Promise<Response> {
    const { html, preloads } = await pages()
    const nonce = crypto.randomUUID().replaceAll('-', '')
    const signedIn = hasSession(request, origin)
    const names = signedIn ? ['shell', pageAt(path)] : ['sign-in']
    const needed = [...new Set(names.flatMap((name) => preloads.get(name) ?? []))]
    const links = needed.map((name) => `<link rel="modulepreload" href="/app/${name}" fetchpriority="low">`)
    const text = html[signedIn ? 'signedIn' : 'signedOut']
      .replace('<head>', `<head><meta name="csp-nonce" content="${nonce}">`)
      .replace('</head>', `${links.join('')}</head>`)
    const isCompressed = request.headers.get('accept-encoding')?.includes('gzip') ?? false
    return new Response(isCompressed ? gzipSync(text) : text, {
      headers: {
        ...guarded,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': policy(nonce),
        vary: 'accept-encoding, cookie',
        ...(isCompressed && { 'content-encoding': 'gzip' }),
        ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
      },
    })
  }
  return new Elysia()
    .get(
      '/',
      ({ request, redirect }) => redirect(request.headers.get('accept')?.includes('text/html') ? '/app' : '/docs'),
      hidden,
    )
    .get('/app', ({ request }) => page(request, ''), hidden)
    .get(
      '/app/*',
      async ({ request, params }) => {
        const path = params['*']
        if (/^(api|auth)(\/|$)/.test(path)) throw new Refusal('ROUTE_NOT_FOUND')
        const file = (await pages()).files.get(path)
        if (file) return sendFile(file, request, fileHeaders)
        if (/\.[a-z0-9]+$/.test(path)) throw new Refusal('ROUTE_NOT_FOUND')
        return page(request, path)
      },
      hidden,
    )
}
