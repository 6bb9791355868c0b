/** The token of an invitation that can be accepted. */
export const acceptedToken = 'a'.repeat(43)

/** A valid body for each route without an example in the document, by method and path. */
export const goodBodies: Record<string, object> = {
  'POST /webhooks/alchemy': {},
  'POST /app/api/organizations': { name: 'Another' },
  'PATCH /app/api/organization': { name: 'Renamed' },
  'PUT /app/api/deposit-page': { isOn: true, name: 'Wallet', color: '#0b7285' },
  'PUT /app/api/organization/second-step': { demandsSecondStep: false },
  'PUT /app/api/recipient-hold': { kind: 'DELAY', hours: 24 },
  'PUT /app/api/views': { name: 'Stuck on Base', query: 'status=FAILED&from=base' },
  'PUT /app/api/notifications': { pace: 'DAILY', kinds: ['QUOTA'], quiet: { from: 22, to: 7 }, timeZone: 'UTC' },
  // The right confirmation would delete the world of the walk.
  'POST /app/api/organization/delete': { confirm: 'not the name' },
  'POST /app/api/account/delete': { confirm: 'not the address' },
  'PUT /app/api/sso': { issuer: 'https://id.example', clientId: 'switchyard', clientSecret: 'secret', role: 'member' },
  'PUT /app/api/sso/demand': { isDemanded: false },
  'PUT /app/api/sso/admission': { acceptsUnstatedVerification: false, groups: [] },
  'POST /app/api/sso/domains': { name: 'walk.example' },
  'POST /app/api/deposit-page/links': { userId: 'user-a' },
  'PATCH /app/api/members/:personId': { role: 'operator' },
  'POST /app/api/invitations': { email: 'new@x.test', role: 'member' },
  'POST /app/api/invitations/:id/resend': { version: '1' },
  'POST /app/api/recipient-changes/:id/approve': { version: '1' },
  'POST /app/api/invitation': { token: acceptedToken },
  'POST /app/api/jobs/count': { verb: 'retry', filter: { causeCode: 'PROVIDER_FAILED' } },
  'POST /app/api/pretend-deposits': { userId: 'user-a' },
  'POST /app/api/keys': { label: 'key', role: 'CLIENT', protocolFeeBps: 0, sponsoredGas: false },
  'PATCH /app/api/keys/:id': { label: 'key' },
  'POST /app/api/keys/:id/revoke': { label: 'key' },
  'POST /app/api/keys/:id/roll': { overlapSeconds: 0 },
}
