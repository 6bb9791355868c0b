type Exchange = {
  request: Request
  set: { headers: Record<string, string | number | undefined>; status?: number | string | undefined }
}

/** Answers a GET with an ETag: with the body, or with 304 when the caller already has it (extensions 8.3). */
export function answer({ request, set }: Exchange, view: unknown, cacheControl = 'private, no-cache') {
  const body = JSON.stringify(view)
  const etag = `W/"${(Bun.hash(body) as bigint).toString(16).padStart(16, '0')}"`
  set.headers['etag'] = etag
  set.headers['cache-control'] = cacheControl
  if (isCurrent(request.headers.get('if-none-match'), etag)) {
    set.status = 304
    delete set.headers['content-type'] // there is no body
    return new Response(null, { status: 304 })
  }
  set.headers['content-type'] ??= 'application/json; charset=utf-8'
  return body
}

function isCurrent(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  if (ifNoneMatch === etag || ifNoneMatch.trim() === '*') return true
  const opaque = etag.slice(2)
  return ifNoneMatch.split(',').some((tag) => tag.trim().replace(/^W\//, '') === opaque)
}
