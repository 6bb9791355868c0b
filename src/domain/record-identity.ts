/**
 * Fields that identify a record and its owner. `fixed` fields never change once stored. `once` fields can start as null
 * and never change after they are set. `sooner` fields are times that, once set, can only become earlier.
 */
export type Identity = { fixed?: readonly string[]; once?: readonly string[]; sooner?: readonly string[] }

/** The seal is left out. It proves these fields and can be replaced under another key. */
const snapshot = ['apiKeyId', 'targetChainId', 'targetTokenAddress', 'targetAddress', 'protocolFeeBps']

/** Identities for every collection with versioned records. The store refuses a save that breaks one. */
export const identities = {
  organizations: { fixed: ['salt', 'isPlatform', 'createdAt'] },
  memberships: {},
  // A domain changes owner when its name server confirms that.
  domainClaims: {},
  noticeBooks: {},
  invitations: { fixed: ['organizationId', 'email', 'createdAt'], once: ['acceptedAt', 'withdrawnAt'] },
  apiKeys: {
    fixed: ['digest', 'prefix', 'organizationId', 'role', 'createdAt', 'createdBy', 'expiresAt'],
    sooner: ['revokedAt'],
  },
  erasures: { fixed: ['kind', 'subject', 'askedAt'], once: ['doneAt'] },
  accounts: { fixed: ['organizationId', 'userId', 'accountSalt', 'canonicalChainId', 'createdAt'] },
  intents: { fixed: ['organizationId', 'userId', 'apiKeyId', 'createdAt'] },
  // One record for each account. The account's next pending change reuses it.
  heldChanges: { fixed: ['organizationId', 'userId'] },
  // The owner can change with the chain: after a reorganization, the same position can hold another transfer.
  sightings: { fixed: ['chainId', 'txHash', 'logIndex'] },
  unsupported: { fixed: ['organizationId', 'userId', 'account', 'chainId', 'detectedAt'] },
  executions: {
    fixed: [
      'organizationId',
      'userId',
      'redriveOf',
      ...['lane', 'account', 'chainId', 'token', 'amountRaw', 'txHash', 'logIndex', 'detectedAt'].map(
        (name) => `deposit.${name}`,
      ),
    ],
    once: [
      'createdAt',
      'refundOf',
      'redrivenBy',
      'continuedBy',
      'takenBy',
      'facts.routeId',
      ...snapshot.map((name) => `facts.intent.${name}`),
    ],
  },
  // A claim passes to another execution if its own ended by another transaction, or with less than its minimum.
  deliveries: {},
  lanes: {},
  laneSums: {},
  senders: {},
  quotaBooks: {},
  placeBooks: {},
  scanCursors: {},
  chainLeases: {},
  tellings: {},
  blacklist: { fixed: ['kind', 'chainId', 'address'] },
  blacklistLists: {},
  pauses: {},
  providerGates: {},
  nodeTroubles: {},
  providerBudgets: {},
  gasBooks: {},
  priceBooks: {},
  signerLogs: {},
  webhookEndpoints: { fixed: ['organizationId', 'createdAt'], once: ['deletedAt'] },
  webhookFeeds: { fixed: ['organizationId'] },
  webhookDeliveries: { fixed: ['organizationId', 'endpointId', 'eventId', 'type', 'body', 'createdAt'] },
  jobs: { fixed: ['organizationId', 'createdAt', 'asked.organizationId', 'work.verb'] },
} as const satisfies Record<string, Identity>

export type CollectionName = keyof typeof identities

/** Returns the identity field that a change would break, or null. */
export function brokenIdentity({ fixed = [], once = [], sooner = [] }: Identity, before: object, after: object) {
  const is = (path: string) => [valueAt(before, path), valueAt(after, path)] as const
  const isOther = (path: string) => {
    const [was, will] = is(path)
    return was !== will
  }
  const isTakenBack = (path: string) => is(path)[0] !== null && isOther(path)
  const isLater = (path: string) => {
    const [was, will] = is(path)
    return was !== null && (typeof will !== 'number' || will > (was as number))
  }
  return fixed.find(isOther) ?? once.find(isTakenBack) ?? sooner.find(isLater) ?? null
}

/** Returns the field at a path. Absent and null count as equal. */
export function valueAt(record: object, path: string): unknown {
  let value: unknown = record
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return value ?? null
}

/** A bug in the saving code, not a race. The change is reported and not stored. */
export class IllegalChange extends Error {
  override name = 'IllegalChange'

  /** @param field The field that must not change; null for the whole record. */
  constructor(id: string, field: string | null = null) {
    super(`${field === null ? '' : `${field} of `}${id} must not change in this way`)
  }
}
