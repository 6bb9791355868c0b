import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { shutdownDelayMsMax } from '../../src/app/config/config'
import { roles } from '../../src/app/config/config-keys'
import { drainMaxMs } from '../../src/app/process/process'

const root = join(import.meta.dir, '..', '..')
const read = (...path: string[]) => Bun.YAML.parse(readFileSync(join(root, ...path), 'utf8'))
/** Additional time at the end of a process: the last log lines, and the machine's own time. */
const leewayMs = 5_000

type Compose = { services: Record<string, { image?: string; stop_grace_period?: string }> }
type Deployment = { spec: { template: { spec: { terminationGracePeriodSeconds?: number; containers: object[] } } } }
const podOf = (name: string) => {
  const documents = [read('deploy', 'kubernetes', 'base', `${name}.yaml`)].flat() as Deployment[]
  return documents[0]!.spec.template.spec
}

test('every deployment gives a process longer to stop than it ever takes', () => {
  const longestMs = shutdownDelayMsMax + drainMaxMs + leewayMs
  for (const path of [['compose.yaml'], ['deploy', 'compose', 'compose.yaml']]) {
    const { services } = read(...path) as Compose
    const ours = Object.entries(services).filter(([, { image }]) => image?.startsWith('switchyard'))
    expect(ours.length).toBeGreaterThan(0)
    for (const [name, { stop_grace_period: period }] of ours)
      expect(Number(/^(\d+)s$/.exec(period!)?.[1]) * 1_000, name).toBeGreaterThanOrEqual(longestMs)
  }
  expect(podOf('process').terminationGracePeriodSeconds! * 1_000).toBeGreaterThanOrEqual(longestMs)
  for (const role of roles) {
    const { terminationGracePeriodSeconds: own, containers } = podOf(role)
    // A hook would delay SIGTERM and use time of the same period.
    expect([own, containers.filter((container) => 'lifecycle' in container)], role).toEqual([undefined, []])
  }
})
