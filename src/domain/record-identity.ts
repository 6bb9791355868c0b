/**
 * The fields that say whose a record is and what it is. `fixed` fields never change once stored. `once` fields may be
 * null at first and never change after that. `sooner` fields are times that are set once and may only be brought
 * forward.
 */
export type Identity = { fixed?: readonly string[]; once?: readonly string[]; sooner?: readonly string[] }

/** Without its seal, which proves this and may be made anew under another key. */
const snapshot = ['apiKeyId', 'targetChainId', 'targetTokenAddress', 'targetAddress', 'protocolFeeBps']

/** Identities by collection, for every collection with versioned records. The store refuses a save that breaks one. */
export const identities = {
  organizations: { fixed: ['salt', 'isPlatform', 'createdAt'] },
  memberships: {},
  // A domain changes hands when its name server says so.
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
  // One for each account, which its next held change takes over.
  heldChanges: { fixed: ['organizationId', 'userId'] },
  // The owner may change with the chain: after a reorganization, the same place may hold another transfer.
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
  // A claim passes on when its execution ended by something else.
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
  providerRests: {},
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

/** Returns the field of the identity that a change would break, or null. */
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

/** Reads a field by its path. Absent and null count as the same. */
export function valueAt(record: object, path: string): unknown {
  let value: unknown = record
  for (const name of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[name]
  return value ?? null
}

/** A bug in the code that saves, not a race. It is reported, and nothing is stored. */
export class IllegalChange extends Error {
  override name = 'IllegalChange'

  /** @param field The field that may not change in this way; null for the whole record. */
  constructor(id: string, field: string | null = null) {
    super(`${field === null ? '' : `${field} of `}${id} may not become what it is to be`)
  }
}
