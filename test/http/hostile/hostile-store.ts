import type { Model } from 'mongoose'
import { brokenIdentity, type CollectionName, type Identity, identities } from '../../../src/domain/record-identity'
import type { HostileWorld } from './hostile-world'

type Document = Record<string, unknown> & { _id: string }

/** Every field name of stored documents at any depth, from the models and from the documents. */
export async function storedNames(world: HostileWorld): Promise<string[]> {
  const names = new Set(Object.values(world.connection.models).flatMap(({ schema }) => Object.keys(schema.paths)))
  for (const documents of (await everything(world)).values())
    for (const document of documents) for (const { name } of namesIn(document)) names.add(name)
  return [...names].filter((name) => !/^[0-9]|[.:]/.test(name)).toSorted()
}

export async function everything({ connection }: HostileWorld): Promise<Map<string, Document[]>> {
  const collections = await connection.db!.collections()
  const found = new Map<string, Document[]>()
  for (const each of collections) found.set(each.collectionName, (await each.find().toArray()) as never)
  return found
}

/** Documents of the victim: by its organization, or by an id that it had at the start. */
export function victims({ victim }: HostileWorld, all: Map<string, Document[]>) {
  const ids = new Set<string>(
    [...all].flatMap(([name, documents]) =>
      documents.flatMap((each) => (isTheirs(each) ? [`${name} ${each._id}`] : [])),
    ),
  )
  function isTheirs(document: Document): boolean {
    const text = JSON.stringify(document)
    return [victim.id, victim.userId, ...victim.people.map(({ id }) => id)].some((mark) => text.includes(mark))
  }
  return (now: Map<string, Document[]>): Record<string, Document> =>
    Object.fromEntries(
      [...now].flatMap(([name, documents]) =>
        documents
          .filter((each) => ids.has(`${name} ${each._id}`) || each['organizationId'] === victim.id)
          .map((each): [string, Document] => [`${name} ${each._id}`, each]),
      ),
    )
}

function* namesIn(value: unknown): Generator<{ name: string; value: unknown }> {
  if (typeof value !== 'object' || value === null || value instanceof Date) return
  for (const [name, inside] of Object.entries(value)) {
    if (!Array.isArray(value)) yield { name, value: inside }
    yield* namesIn(inside)
  }
}

/** The store itself adds these, from the record. */
const ownFields = ['keys', 'derived']
const isHostile = (name: string): boolean => /^\$|\.|^(__proto__|constructor|prototype|isPlanted|planted|)$/.test(name)
const plain: Record<string, string> = { String: 'string', Number: 'number', Boolean: 'boolean' }

/**
 * The rules that every document must keep for any writer.
 * @returns a sentence per violation.
 */
export function objections(
  world: HostileWorld,
  before: Map<string, Document[]>,
  now: Map<string, Document[]>,
): string[] {
  const found: string[] = []
  for (const [name, documents] of now) {
    const model = world.connection.models[name] as Model<unknown> | undefined
    const usual = new Set((before.get(name) ?? []).flatMap((each) => Object.keys(each)))
    const known = new Map((before.get(name) ?? []).map((each) => [each._id, each]))
    for (const document of documents) {
      const where = `${name} ${document._id}`
      for (const field of Object.keys(document)) {
        const isDeclared = model
          ? field in model.schema.paths || ownFields.includes(field)
          : usual.has(field) || usual.size === 0
        if (!isDeclared) found.push(`${where} has the field ${field}`)
      }
      for (const inside of namesIn(document)) if (isHostile(inside.name)) found.push(`${where} holds ${inside.name}`)
      for (const [field, path] of Object.entries(model?.schema.paths ?? {})) {
        const type = plain[path.instance]
        const value = document[field] ?? null
        if (type && value !== null && typeof value !== type) found.push(`${where} has another ${field} than a ${type}`)
      }
      const was = known.get(document._id)
      const identity: Identity = identities[name as CollectionName] ?? {}
      const broken = was ? brokenIdentity(identity, was, document) : null
      if (broken) found.push(`${where} has changed its ${broken}`)
    }
  }
  return found
}
