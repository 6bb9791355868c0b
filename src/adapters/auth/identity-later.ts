import type { Identity } from '../../ports/identity'

/** Sign-in is loaded when the first person comes: it takes a tenth of a second, and an API needs none. */
export function identityLater(make: () => Promise<Identity>): Identity {
  let making: Promise<Identity> | null = null
  const made = (): Promise<Identity> => {
    making ??= make().catch((error) => {
      making = null
      throw error
    })
    return making
  }
  return {
    answer: async (request) => (await made()).answer(request),
    signedIn: async (headers) => (await made()).signedIn(headers),
    people: async (ids) => (await made()).people(ids),
    findByEmail: async (email) => (await made()).findByEmail(email),
    subjectOf: async (headers, named) => (await made()).subjectOf(headers, named),
    forgetDevices: async (personId) => (await made()).forgetDevices(personId),
    markOf: async (email) => (await made()).markOf(email),
    isMarkOf: async (email, mark) => (await made()).isMarkOf(email, mark),
    create: async (person) => (await made()).create(person),
  }
}
