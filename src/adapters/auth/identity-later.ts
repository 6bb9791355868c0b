import type { Identity } from '../../ports/people'

/** Loads sign-in on first use: loading takes a tenth of a second, and a process that serves only the API needs none. */
export function identityLater(make: () => Promise<Identity>): Identity {
  let making: Promise<Identity> | null = null
  const loaded = (): Promise<Identity> => {
    making ??= make().catch((error) => {
      making = null
      throw error
    })
    return making
  }
  return {
    answer: async (request) => (await loaded()).answer(request),
    signedIn: async (headers) => (await loaded()).signedIn(headers),
    people: async (ids) => (await loaded()).people(ids),
    findByEmail: async (email) => (await loaded()).findByEmail(email),
    subjectOf: async (headers, named) => (await loaded()).subjectOf(headers, named),
    noteSecondStep: async (sessionId, at) => (await loaded()).noteSecondStep(sessionId, at),
    renew: async (sessionId, secondStepAt) => (await loaded()).renew(sessionId, secondStepAt),
    backupCodesLeft: async (personId) => (await loaded()).backupCodesLeft(personId),
    reportBackupCode: async (personId) => (await loaded()).reportBackupCode(personId),
    forgetDevices: async (personId) => (await loaded()).forgetDevices(personId),
    markOf: async (email) => (await loaded()).markOf(email),
    isMarkOf: async (email, mark) => (await loaded()).isMarkOf(email, mark),
    traceOf: async (email) => (await loaded()).traceOf(email),
    linkedWith: async (connectionId, sub) => (await loaded()).linkedWith(connectionId, sub),
    personAt: async (connectionId, named) => (await loaded()).personAt(connectionId, named),
    link: async (connectionId, sub, personId) => (await loaded()).link(connectionId, sub, personId),
    beginVia: async (personId, via, provedAt) => (await loaded()).beginVia(personId, via, provedAt),
    endVia: async (connectionId) => (await loaded()).endVia(connectionId),
    create: async (person) => (await loaded()).create(person),
  }
}
