import { beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { roles } from '../../src/app/config/config-keys'
import { runProgram } from '../../src/devnet/servers/run-program'
import { apiWorld } from '../http/world'
import { everyMetric } from '../support/every-metric'
import { debianProgram, hasDebian } from '../support/kept-tools'
import { temporaryFolder } from '../support/temporary-folder'
import { testAll } from '../support/test-all'
import { testWith } from '../support/tools'

const root = join(import.meta.dir, '..', '..')
const textOf = (path: string) => readFileSync(join(root, path), 'utf8')
type Rule = {
  alert?: string
  record?: string
  expr: string
  annotations?: { summary: string }
  labels?: { severity: string }
}
type Panel = {
  id: number
  type: string
  title: string
  description?: string
  gridPos: { h: number; w: number; x: number; y: number }
  targets?: { expr: string }[]
}
type Dashboard = { uid: string; panels: Panel[]; annotations: { list: { expr: string }[] } }

const { groups } = Bun.YAML.parse(textOf('deploy/prometheus/alerts.yaml')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)
const alerts = rules.flatMap(({ alert }) => alert ?? [])
const dashboards = [...new Glob('deploy/grafana/*.json').scanSync(root)].map(
  (path) => [path, JSON.parse(textOf(path)) as Dashboard] as const,
)
/** Grafana substitutes the interval between readings. */
const asPrometheusReads = (expr: string) => expr.replaceAll('$__rate_interval', '5m')
const shown = dashboards.flatMap(([, { panels, annotations }]) =>
  [...panels.flatMap(({ targets = [] }) => targets), ...annotations.list].map(({ expr }) => asPrometheusReads(expr)),
)
const scaling = [...textOf('deploy/prometheus/adapter.yaml').matchAll(/metricsQuery: (.+)/g)].map(([, expr]) => expr!)
const expressions = [...rules.map(({ expr }) => expr), ...shown, ...scaling]

/** The served metrics, each with its labels. */
const served = new Map<string, Set<string>>()
const recorded = new Map(rules.flatMap(({ record, expr }) => (record ? [[record, expr] as const] : [])))
beforeAll(async () => {
  const metrics = everyMetric()
  const { ask } = apiWorld({ metrics })
  await ask('/api/health') // ensures that a request was answered
  const { text } = await ask('/metrics')
  for (const [, name, type] of text.matchAll(/^# TYPE (\S+) (\w+)$/gm)) {
    const endings = type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']
    for (const ending of endings) served.set(name! + ending, new Set())
  }
  for (const { name, labels } of [...metrics.gauges, ...(metrics.counters ?? [])])
    served.set(`switchyard_${name}`, new Set(labels))
  for (const [, name, labels] of text.matchAll(/^(\w+)\{([^}]*)\}/gm))
    for (const [, label] of labels!.matchAll(/(\w+)="/g)) served.get(name!)!.add(label!)
})
/** Labels that Prometheus adds to every reading, or has for every process. */
const ofPrometheus = ['job', 'instance', 'role', 'pod']

/** The metrics in an expression, including those behind a recorded rule. */
const metricsIn = (expr: string): string[] =>
  [...expr.matchAll(/switchyard[_:][\w:]+/g)].flatMap(([name]) =>
    recorded.has(name) ? metricsIn(recorded.get(name)!) : [name],
  )
const labelsIn = (expr: string): string[] => [
  ...[...expr.matchAll(/\b(?:by|on|without|ignoring) \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(/[ ,]+/)),
  ...[...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside]) =>
    [...inside!.matchAll(/(\w+)(?:=|!)/g)].map(([, label]) => label!),
  ),
]

describe('monitoring', () => {
  test('is served: every metric and label in a rule, a dashboard or the autoscaler', () => {
    expect(expressions.length).toBeGreaterThan(40)
    const wrong = expressions.flatMap((expr) => {
      const names = metricsIn(expr)
      const labels = new Set([...ofPrometheus, ...names.flatMap((name) => [...(served.get(name) ?? [])])])
      return [
        ...names.filter((name) => !served.has(name)),
        ...labelsIn(expr).filter((label) => label && !labels.has(label)),
      ].map((what) => `${what} in ${expr}`)
    })
    expect(wrong).toEqual([])
  })

  test('scales the workers on Kubernetes by a served metric', () => {
    const [, metric] = /external:\s+metric: \{ name: (\w+) \}/.exec(textOf('deploy/kubernetes/base/autoscaling.yaml'))!
    expect(textOf('deploy/prometheus/adapter.yaml')).toContain(`name: { as: ${metric} }`)
    expect(scaling.flatMap(metricsIn)).toEqual([metric!])
  })

  test('has exactly one row in the page about alerts for each alert', () => {
    const section = textOf('docs/operations/alerts.md').split('\n## Rules\n')[1]!.split('\n## ')[0]!
    const rows = [...section.matchAll(/^\| `(Switchyard\w+)` \|/gm)].map(([, name]) => name!)
    expect(rows.toSorted()).toEqual(alerts.toSorted())
  })

  test('has the severity, a person, a reason and a first action in each row of that page', () => {
    const severities = new Map(rules.map(({ alert, labels }) => [alert, labels?.severity]))
    for (const [row, name] of textOf('docs/operations/alerts.md').matchAll(/^\| `(Switchyard\w+)` \|.*$/gm)) {
      const [, severity, ...cells] = row.split(' | ')
      expect([name, cells.length, cells.every((cell) => cell.length > 5)]).toEqual([name, 3, true])
      expect([name, severity]).toEqual([name, severities.get(name)])
    }
  })

  test('scrapes every process of the cluster, including the signer', () => {
    const config = Bun.YAML.parse(textOf('deploy/prometheus/prometheus.yaml')) as {
      scrape_configs: { dns_sd_configs?: { names: string[] }[] }[]
    }
    const names = config.scrape_configs.flatMap((job) => job.dns_sd_configs ?? []).flatMap((each) => each.names)
    expect(names.toSorted()).toEqual([...roles, 'signer'].toSorted())
  })

  test('has a severity and a summary for each alert', () => {
    expect(alerts).toEqual([...new Set(alerts)])
    for (const { alert, labels, annotations } of rules.filter((rule) => rule.alert)) {
      expect(['page', 'ticket'], alert).toContain(labels!.severity)
      expect(annotations!.summary, alert).toMatch(/^['{A-Z].{20,}/s)
    }
  })
})

describe('promtool', () => {
  const run = async (...args: string[]) => runProgram([await debianProgram('promtool'), ...args])
  const withPromtool = testWith('apt, with which promtool is fetched,', hasDebian)

  withPromtool('passes the tests of the rules, each alert of which fires in one of them', async () => {
    const tests = textOf('test/deploy/alerts.yaml')
    const path = join(temporaryFolder('alerts'), 'tests.yaml')
    writeFileSync(path, tests.replace('ALERTS', join(root, 'deploy/prometheus/alerts.yaml')))
    await run('test', 'rules', path)
    const firing = [...tests.matchAll(/alertname: (\w+)\n +exp_alerts:/g)].map(([, name]) => name!)
    expect([...new Set(firing)].toSorted()).toEqual(alerts.toSorted())
    writeFileSync(path, readFileSync(path, 'utf8').replace('severity: page, kind: LANE', 'severity: page, kind: RETRY'))
    await expect(run('test', 'rules', path)).rejects.toThrow('FAILED')
  })

  withPromtool('understands the configuration, and every expression of a dashboard and of the autoscaler', async () => {
    await run('check', 'config', '--syntax-only', join(root, 'deploy/prometheus/prometheus.yaml'))
    const path = join(temporaryFolder('dashboards'), 'rules.yaml')
    const asRules = [...shown, ...scaling].map((expr, n) => ({ record: `shown:${n}`, expr }))
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'shown', rules: asRules }] }))
    await run('check', 'rules', path)
    writeFileSync(path, JSON.stringify({ groups: [{ name: 'shown', rules: [{ record: 'wrong', expr: 'sum by (' }] }] }))
    await expect(run('check', 'rules', path)).rejects.toThrow()
  })
})

testAll(dashboards)('a dashboard explains every panel, and gives each its own position', (_name, { panels }) => {
  expect(panels.map(({ id }) => id)).toEqual([...new Set(panels.map(({ id }) => id))])
  const drawn = panels.filter(({ type }) => type !== 'row')
  for (const { title, description, targets } of drawn) {
    expect(description, title).toMatch(/^[A-Z1].+\.$/)
    expect(targets!.length, title).toBeGreaterThan(0)
  }
  const taken = new Set<string>()
  for (const { title, gridPos } of panels)
    for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
      for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
        expect(x, title).toBeLessThan(24)
        expect(taken.has(`${x} ${y}`), title).toBe(false)
        taken.add(`${x} ${y}`)
      }
})
