/**
 * What four directories state about a person, in the form of their public documentation. The ids are invented. The
 * provider of a test adds `iss`, `aud`, `nonce`, `iat` and `exp` to the ID token.
 */
export type Directory = {
  name: string
  documentedAt: string
  idToken: Readonly<Record<string, unknown>>
  userInfo: Readonly<Record<string, unknown>>
  /** Scopes in the discovery document. */
  scopes: readonly string[]
  /** A group in the claim `groups`; null if the directory sends no such claim. */
  group: string | null
  statesVerification: boolean
}

export const corpDomain = 'corp.example'

/** A token of the v2.0 endpoint. Groups need "Add groups claim", and are object ids. */
export const entraId: Directory = {
  name: 'Entra ID',
  documentedAt: 'learn.microsoft.com: id-token-claims-reference, userinfo, optional-claims-reference',
  idToken: {
    ver: '2.0',
    sub: 'OLu859SGc2Sr9ZsqbkG-QbeLgJlb41KcdiPoLYNpSFA',
    name: 'Mikah Ollenburg',
    preferred_username: `mikoll@${corpDomain}`,
    oid: 'a7c1e6f0-4f0b-4f0a-9d6a-3b9a2f7f5c11',
    tid: '3d4b8b7e-0d5b-4f7e-8f5a-6c7a1d2e9b42',
    email: `mikoll@${corpDomain}`,
    auth_time: 1,
    groups: ['0f6a2c1e-7b1d-4a55-8a39-1d5f0c9e7b21', '5d1c9f4a-2f53-4c07-b1ce-9f9a4c0d6e10'],
    nbf: 1_700_000_000,
    rh: '0.AXcAfotLPVsNfk-PWmx6HS6bQg.',
    sid: '4e2b6c8f-41f5-4ee4-8d21-aa7a2bd7f1f5',
    uti: 'fqiBqXLPj0eQa82S-IYFAA',
  },
  userInfo: {
    sub: 'OLu859SGc2Sr9ZsqbkG-QbeLgJlb41KcdiPoLYNpSFA',
    name: 'Mikah Ollenburg',
    family_name: 'Ollenburg',
    given_name: 'Mikah',
    picture: 'https://graph.microsoft.com/v1.0/me/photo/$value',
    email: `mikoll@${corpDomain}`,
  },
  scopes: ['openid', 'profile', 'email', 'offline_access'],
  group: '0f6a2c1e-7b1d-4a55-8a39-1d5f0c9e7b21',
  statesVerification: false,
}

/** A token of the organization's own server in the code flow: thin, with the person's profile in userinfo only. */
export const okta: Directory = {
  name: 'Okta',
  documentedAt: 'developer.okta.com: reference/api/oidc, guides/customize-tokens-groups-claim',
  idToken: {
    ver: 1,
    sub: '00uid4BxXw6I6TV4m0g3',
    jti: 'ID.4eAWJOCMB3SX8XewDfVR',
    amr: ['pwd', 'mfa'],
    idp: '00ok1u7AsAkrwdZL3z0g3',
    auth_time: 1,
    at_hash: 'cpqKfdQA5eH891Ff5oJr_Q',
    name: 'John Doe',
    preferred_username: `john.doe@${corpDomain}`,
  },
  userInfo: {
    sub: '00uid4BxXw6I6TV4m0g3',
    name: 'John Doe',
    locale: 'en-US',
    email: `john.doe@${corpDomain}`,
    email_verified: true,
    preferred_username: `john.doe@${corpDomain}`,
    given_name: 'John',
    family_name: 'Doe',
    zoneinfo: 'America/Los_Angeles',
    updated_at: 1_311_280_970,
    groups: ['Everyone', 'Payments team'],
  },
  scopes: ['openid', 'email', 'profile', 'address', 'phone', 'offline_access', 'groups'],
  group: 'Payments team',
  statesVerification: true,
}

/** Has no claim for groups. Its documentation shows `email_verified` as a text; its tokens have a boolean. */
export const googleWorkspace: Directory = {
  name: 'Google Workspace',
  documentedAt: 'developers.google.com/identity/openid-connect/openid-connect',
  idToken: {
    azp: '1234987819200.apps.googleusercontent.com',
    sub: '10769150350006150715113082367',
    at_hash: 'HK6E_P6Dh8Y93mRNtsDB1Q',
    hd: corpDomain,
    email: `jsmith@${corpDomain}`,
    email_verified: 'true',
    name: 'Jane Smith',
    picture: 'https://lh3.googleusercontent.com/a/default',
    given_name: 'Jane',
    family_name: 'Smith',
  },
  userInfo: {
    sub: '10769150350006150715113082367',
    name: 'Jane Smith',
    given_name: 'Jane',
    family_name: 'Smith',
    picture: 'https://lh3.googleusercontent.com/a/default',
    email: `jsmith@${corpDomain}`,
    email_verified: true,
    hd: corpDomain,
  },
  scopes: ['openid', 'email', 'profile'],
  group: null,
  statesVerification: true,
}

/** With the mapper "Group Membership" and its full path. An unconfirmed address is stated as false. */
export const keycloak: Directory = {
  name: 'Keycloak',
  documentedAt: 'keycloak.org: Server Administration Guide, "OIDC token and SAML assertion mappings"',
  idToken: {
    jti: '2d0a1c39-7d0b-4f1c-9b8e-1c2f7a5b9d40',
    sub: 'f1c4f64e-2c0c-4cda-8c9f-9f3f8f3a2b0e',
    typ: 'ID',
    azp: 'switchyard',
    auth_time: 1,
    sid: '4c0a3a8a-3a47-4f2f-8e89-9e5f9b0a0a0a',
    at_hash: 'dXFsYl8zS3dUZ1Jx',
    acr: '1',
    email_verified: true,
    groups: ['/platform/architecture', '/payments'],
    name: 'Ada Lovelace',
    preferred_username: 'ada',
    given_name: 'Ada',
    family_name: 'Lovelace',
    email: `ada@${corpDomain}`,
  },
  userInfo: {
    sub: 'f1c4f64e-2c0c-4cda-8c9f-9f3f8f3a2b0e',
    email_verified: true,
    groups: ['/platform/architecture', '/payments'],
    name: 'Ada Lovelace',
    preferred_username: 'ada',
    given_name: 'Ada',
    family_name: 'Lovelace',
    email: `ada@${corpDomain}`,
  },
  scopes: ['openid', 'email', 'profile', 'roles', 'offline_access', 'web-origins'],
  group: '/payments',
  statesVerification: true,
}

export const directories: readonly Directory[] = [entraId, okta, googleWorkspace, keycloak]
