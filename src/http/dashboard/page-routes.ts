import { Elysia } from 'elysia'
import { Refusal } from '../failure'
import { hidden } from '../operation'
import type { PageFile, Pages } from './pages'

/** Nothing from elsewhere, nothing inline: Mantine's one style tag carries the answer's nonce. */
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

const guarded = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=()',
} as const

/** Every address under /app is the same page; what it shows is decided in the browser. */
export function pageRoutes(pages: Pages, isSecure: boolean) {
  async function page(): Promise<Response> {
    const { html } = await pages()
    const nonce = crypto.randomUUID().replaceAll('-', '')
    return new Response(html.replace('<head>', `<head><meta name="csp-nonce" content="${nonce}">`), {
      headers: {
        ...guarded,
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': policy(nonce),
        ...(isSecure && { 'strict-transport-security': 'max-age=31536000' }),
      },
    })
  }
  return new Elysia()
    .get(
      '/',
      ({ request, redirect }) => {
        if (!request.headers.get('accept')?.includes('text/html')) throw new Refusal('ROUTE_NOT_FOUND')
        return redirect('/app')
      },
      hidden,
    )
    .get('/app', page, hidden)
    .get(
      '/app/*',
      async ({ request, params }) => {
        const path = params['*']
        if (/^(api|auth)(\/|$)/.test(path)) throw new Refusal('ROUTE_NOT_FOUND')
        const file = (await pages()).files.get(path)
        if (file) return send(file, request.headers.get('accept-encoding') ?? '')
        if (/\.[a-z0-9]+$/.test(path)) throw new Refusal('ROUTE_NOT_FOUND')
        return page()
      },
      hidden,
    )
}

/** A file's name changes with its content: it may be kept for ever. */
function send({ type, raw, br, gz }: PageFile, accepted: string): Response {
  const encoding = br && accepted.includes('br') ? 'br' : gz && accepted.includes('gzip') ? 'gzip' : null
  const body = (encoding === 'br' ? br : encoding === 'gzip' ? gz : raw) ?? raw
  return new Response(body as Uint8Array<ArrayBuffer>, {
    headers: {
      ...guarded,
      'content-type': type,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
      ...(encoding && { 'content-encoding': encoding }),
    },
  })
}
