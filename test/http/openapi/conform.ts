import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { envelopeType } from '../../../src/http/request/page'

type Json = Record<string, unknown>
export type Seen = { method: string; path: string; status: number; headers: Headers; text: string }

/** Closes every object, which forbids fields that the document does not name. */
export function closed(document: Json, schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part) => closed(document, part))
  if (schema === null || typeof schema !== 'object') return schema
  const whole = joined(document, schema as Json)
  const copy = Object.fromEntries(Object.entries(whole).map(([key, value]) => [key, closed(document, value)]))
  return 'properties' in whole ? { ...copy, additionalProperties: false } : copy
}

/** Merges a model with the models that it extends. Closed separately, each would forbid the others' fields. */
export function joined(document: Json, schema: Json): Json {
  if (!Array.isArray(schema['allOf'])) return schema
  const parts = (schema['allOf'] as Json[]).map((part) => joined(document, followed(document, part)))
  return {
    type: 'object',
    properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
    required: parts.flatMap(({ required }) => required as string[]),
  }
}

/** A part of the document, or the part that it refers to. */
export const followed = <Part>(document: Json, part: Part): Part => {
  const ref = (part as { $ref?: unknown } | undefined)?.$ref
  if (typeof ref !== 'string') return part
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((found, name) => (found as Json)[name], document) as Part
}

export const isJson = (contentType: string): boolean => /^application\/(?:[\w.-]+\+)?json(?:;|$)/.test(contentType)

const noMethod = '{"statusCode":405,"message":"This path does not accept this method","error":"Method Not Allowed"}'
const noRoute = '{"statusCode":404,"message":"Route not found","error":"Not Found"}'

/** Compiles schemas of the document, in which every object is closed. */
function compiler(document: Json) {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  ;(addFormats as unknown as (to: Ajv2020) => void)(ajv)
  ajv.addSchema({ $id: 'openapi', components: closed(document, document['components']) } as object)
  const compile = (schema: Json): ValidateFunction =>
    ajv.compile(
      JSON.parse(JSON.stringify(closed(document, schema)).replaceAll('"#/components', '"openapi#/components')),
    )
  return { ajv, compile }
}

type Bodied = { post: { requestBody: { content: Record<string, { schema: Json }> } } }

/** The fault of a webhook body by the document's schema for its type, or null. */
export function webhookConformance(document: Json) {
  const { ajv, compile } = compiler(document)
  const webhooks = document['webhooks'] as Record<string, Bodied>
  return (type: string, body: unknown): string | null => {
    const named = webhooks[type]?.post.requestBody
    if (!named) return `${type}: not in the document`
    const check = compile(followed(document, named).content['application/json']!.schema)
    return check(body) ? null : `${type}: ${ajv.errorsText(check.errors)}`
  }
}

/** The fault of a response by the document, or null. An undocumented response is a fault. */
export function conformance(document: Json) {
  const { ajv, compile } = compiler(document)
  const paths = document['paths'] as Record<string, Record<string, { responses: Record<string, Json> }>>
  const routes = Object.keys(paths).map((path) => ({
    path,
    form: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
    fixed: path.split('/').filter((part) => !part.startsWith('{')).length,
  }))
  const compiled = new Map<string, ValidateFunction | null>()

  function validator(
    method: string,
    path: string,
    status: number,
    contentType: string,
  ): ValidateFunction | null | undefined {
    const name = `${method} ${path} ${status} ${contentType}`
    if (compiled.has(name)) return compiled.get(name)
    const answer = followed(document, paths[path]?.[method.toLowerCase()]?.responses[status])
    if (!answer) return undefined
    const content = (answer['content'] as Record<string, { schema: Json }> | undefined)?.[contentType]
    const schema = contentType === envelopeType ? (answer['x-envelope'] as Json | undefined) : content?.schema
    const found = schema ? compile(schema) : null
    compiled.set(name, found)
    return found
  }

  return ({ method, path: asked, status, headers, text }: Seen): string | null => {
    const bare = asked.split('?')[0]!.replace(/(?<=.)\/$/, '')
    const route = routes
      .filter(({ form, path }) => form.test(bare) && paths[path]![method.toLowerCase()])
      .toSorted((a, b) => b.fixed - a.fixed)[0]
    const name = `${method} ${route?.path ?? bare} ${status}`
    if (!headers.get('x-request-id')) return `${name}: no x-request-id`
    if (status >= 400 && !headers.get('x-error-code')) return `${name}: no x-error-code`
    const isNoRoute = status === 404 && headers.get('x-error-code') === 'ROUTE_NOT_FOUND'
    if (isNoRoute) return text === noRoute ? null : `${name}: ${text}`
    const isNoMethod = status === 405 && !route && headers.get('x-error-code') === 'METHOD_NOT_ALLOWED'
    if (isNoMethod) return text === noMethod && headers.get('allow') ? null : `${name}: ${text}`
    if (!route) return `${name}: not in the document`
    const contentType = headers.get('content-type')?.split(';')[0] ?? ''
    const check = validator(method, route.path, status, contentType)
    if (check === undefined) return `${name}: the status is not in the document`
    if (check === null) return text === '' ? null : `${name}: a body where the document has none (${contentType})`
    // Other tests read the events of a stream and the lines of a file. Here their headers identify them.
    if (!isJson(contentType)) return null
    const codes = errorCodesOf(followed(document, paths[route.path]![method.toLowerCase()]!.responses[status]!))
    const code = headers.get('x-error-code')
    if (code && codes && !codes.includes(code)) return `${name}: x-error-code ${code} is not in the document`
    return check(JSON.parse(text)) ? null : `${name}: ${ajv.errorsText(check.errors)}`
  }
}

/** The error response has an example for each of its codes. */
function errorCodesOf(answer: Json): string[] | null {
  const content = answer['content'] as Record<string, { examples?: Json }> | undefined
  const examples = content?.['application/json']?.examples
  return examples ? Object.keys(examples) : null
}
