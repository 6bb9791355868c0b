import { afterAll } from 'bun:test'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheFolder, withLock } from '../../src/devnet/servers/cache-folder'
import { freePort } from '../../src/devnet/servers/free-port'
import { runProgram } from '../../src/devnet/servers/run-program'
import { spawnChild } from '../../src/devnet/servers/spawn-child'
import { untilReady } from '../../src/devnet/servers/until-ready'
import { temporaryFolder } from './temporary-folder'

const version = '26.7.3'
/** It takes half a minute alone, and five minutes beside ten other programs on two cores. */
const startMsMax = 15 * 60_000
const [realm, clientId, clientSecret] = ['corp', 'switchyard', 'keycloak-secret']

/** Whether Keycloak can be fetched and run here. */
export const hasKeycloak = Bun.which('java') !== null && Bun.which('mvn') !== null

type Person = { username: string; email: string; emailVerified: boolean; groups: readonly string[] }

/** The settings that the members page names: a confidential client, and the mapper for groups with their full path. */
const realmOf = (people: readonly Person[], password: string) => ({
  ...{ realm, enabled: true, sslRequired: 'none' },
  groups: [...new Set(people.flatMap(({ groups }) => groups))].map((path) => ({ name: path.slice(1) })),
  users: people.map((person) => ({
    ...person,
    ...{ firstName: person.username, lastName: 'of the test', enabled: true },
    credentials: [{ type: 'password', value: password, temporary: false }],
  })),
  clients: [
    {
      ...{ clientId, secret: clientSecret, publicClient: false, standardFlowEnabled: true },
      ...{ protocol: 'openid-connect', redirectUris: ['*'] },
      defaultClientScopes: ['basic', 'profile', 'email'],
      protocolMappers: [
        {
          ...{ name: 'groups', protocol: 'openid-connect', protocolMapper: 'oidc-group-membership-mapper' },
          config: { 'claim.name': 'groups', 'full.path': 'true', 'id.token.claim': 'true' },
        },
      ],
    },
  ],
})

/** Fetches Keycloak once, through Maven, which verifies it. */
async function distribution(): Promise<string> {
  const folder = await cacheFolder()
  const fetched = join(folder, `keycloak-${version}`)
  if (existsSync(fetched)) return fetched
  return withLock('keycloak', async () => {
    if (existsSync(fetched)) return fetched
    const made = await mkdtemp(join(folder, 'keycloak-'))
    try {
      const artifact = `-Dartifact=org.keycloak:keycloak-quarkus-dist:${version}:zip`
      await runProgram(['mvn', '-q', '-B', 'dependency:copy', artifact, `-DoutputDirectory=${made}`])
      await runProgram(['unzip', '-q', join(made, `keycloak-quarkus-dist-${version}.zip`), '-d', made])
      await rename(join(made, `keycloak-${version}`), fetched)
      return fetched
    } finally {
      await rm(made, { recursive: true, force: true })
    }
  })
}

/** Starts a Keycloak with these people in its realm, all with one password. */
export async function startKeycloak(people: readonly Person[], password: string) {
  const home = join(temporaryFolder('keycloak'), 'home')
  await cp(await distribution(), home, { recursive: true })
  await mkdir(join(home, 'data', 'import'), { recursive: true })
  await Bun.write(join(home, 'data', 'import', `${realm}.json`), JSON.stringify(realmOf(people, password)))
  const port = await freePort()
  const settings = ['--http-host=127.0.0.1', `--http-port=${port}`, '--import-realm', '--http-management-port=0']
  // Its script replaces itself with the server, because a fresh copy is prepared first.
  const child = spawnChild([join(home, 'bin', 'kc.sh'), 'start-dev', ...settings], { deathSignal: 'TERM' })
  afterAll(() => child.stop('SIGTERM', 20_000))
  const issuer = `http://127.0.0.1:${port}/realms/${realm}`
  const isReady = () =>
    fetch(`${issuer}/.well-known/openid-configuration`).then(
      ({ ok }) => ok,
      () => false,
    )
  await untilReady('Keycloak', child, isReady, startMsMax)

  /** Signs a person in on Keycloak's page, as a browser does. @returns the URL that it redirects to. */
  async function walk(from: string, username: string): Promise<URL> {
    const page = await fetch(from, { redirect: 'manual' })
    const html = await page.text()
    const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&')
    if (!action) throw new Error(`${from} returned ${page.status} without a form: ${html.slice(0, 300)}`)
    const cookie = page.headers
      .getSetCookie()
      .map((each) => each.split(';')[0])
      .join('; ')
    const body = new URLSearchParams({ username, password })
    const response = await fetch(action, { method: 'POST', redirect: 'manual', headers: { cookie }, body })
    const to = response.headers.get('location')
    if (!to) throw new Error(`Keycloak refused ${username}: ${(await response.text()).slice(0, 300)}`)
    return new URL(to)
  }
  return { issuer, clientId, clientSecret, walk }
}
