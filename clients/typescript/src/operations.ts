import type { components, operations, paths } from './schema.js'

/** An object of the API, by its name in the document: `Schema<'Execution'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name]

type Content<Of> = Of extends { content: { 'application/json': infer Body } } ? Body : undefined
/** A `List` has its position, so every list is requested as an array. */
type WithoutEnvelope<Values> = Values extends unknown ? Omit<Values, 'envelope'> : never
type Given<Of, Name extends string> = Name extends keyof Of ? NonNullable<Of[Name]> : never

/** Response of an operation. */
export type Answer<Name extends keyof operations> = AnswerOf<operations[Name]>
/** Request body of an operation. */
export type Body<Name extends keyof operations> = BodyOf<operations[Name]>
/** Filters of an operation, without the position in a list, which a `List` keeps. */
export type Query<Name extends keyof operations> = Omit<QueryOf<operations[Name]>, 'cursor' | 'offset'>
/** Item type of an operation's list. */
export type ItemOf<Name extends keyof operations> = Answer<Name> extends readonly (infer Item)[] ? Item : never

type AnswerOf<Operation> = Operation extends { responses: infer Responses }
  ? Content<Responses[keyof Responses & (200 | 201 | 202)]>
  : never
type BodyOf<Operation> = Operation extends { requestBody?: infer Body } ? Content<NonNullable<Body>> : undefined
type QueryOf<Operation> = Operation extends { parameters: infer Parameters }
  ? WithoutEnvelope<Given<Parameters, 'query'>>
  : never
type PathOf<Operation> = Operation extends { parameters: infer Parameters } ? Given<Parameters, 'path'> : never

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
/** Paths of the document that allow a method. */
export type PathWith<Verb extends Method> = {
  [Path in keyof paths]: paths[Path][Verb] extends { responses: unknown } ? Path : never
}[keyof paths]
type At<Verb extends Method, Path extends keyof paths> = paths[Path][Verb]

type Optional<Name extends string, Value> = [Value] extends [undefined]
  ? { [key in Name]?: undefined }
  : object extends Value
    ? { [key in Name]?: Value }
    : { [key in Name]: Value }
/** Parameters, filters and body of a request to any path of the document. */
export type Arguments<Verb extends Method, Path extends keyof paths> = Optional<'path', PathOf<At<Verb, Path>>> &
  Optional<'query', QueryOf<At<Verb, Path>>> &
  Optional<'body', BodyOf<At<Verb, Path>>>
/** Response to a request to any path of the document. */
export type AnswerAt<Verb extends Method, Path extends keyof paths> = AnswerOf<At<Verb, Path>>
