import { beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { forgeBinary } from '../../contracts/forge-binary'
import { sample } from '../support/depth'
import { testAll } from '../support/test-all'

interface Result {
  readonly status: 'Success' | 'Failure' | 'Skipped'
  readonly reason: string | null
  readonly decoded_logs: readonly string[]
}

const contracts = join(import.meta.dir, '../../contracts')
const snapshot = join(contracts, 'gas-snapshot.json')

/** Runs of each property and each invariant. At night, foundry.toml decides. */
const deepest = sample('depths of the random calls', [['16', '3'], null], 1).at(-1)

// The current counts. A lower count means that tests were removed.
const atLeast: Record<string, number> = {
  AccountTest: 12,
  AssetsTest: 6,
  BatchTest: 12,
  CctpGasTest: 1,
  CctpInvariantsTest: 1,
  CctpTest: 13,
  ExecutorTest: 31,
  GasTest: 3,
  GuardsTest: 21,
  IncidentsTest: 9,
  InvariantsTest: 1,
  LensTest: 8,
  PowersTest: 10,
  RecoveryInvariantsTest: 1,
  RecoveryTest: 32,
  RegistryTest: 24,
  RelayTest: 11,
  SettingsTest: 18,
  TokensTest: 15,
}

describe('forge proves the contracts', () => {
  let suites: Awaited<ReturnType<typeof forgeTest>>
  beforeAll(async () => {
    suites = await forgeTest()
  })

  testAll(Object.entries(atLeast))('no test of a suite fails, and none was removed', async (name, count) => {
    const results = Object.entries(suites[name] ?? {})
    const failures = results.filter(([, { status }]) => status !== 'Success')
    expect(failures.map(([rule, { reason }]) => `${rule}: ${reason}`)).toEqual([])
    expect(results.length).toBeGreaterThanOrEqual(count)
  })

  test('the gas of each kind of route is the committed one (UPDATE=1 writes it again)', async () => {
    const measuring = [suites['GasTest'], suites['CctpGasTest']]
    const logs = measuring.flatMap((suite) => Object.values(suite ?? {}).flatMap(({ decoded_logs }) => decoded_logs))
    const measured = Object.fromEntries(logs.map((line) => line.split(': ')).map(([name, gas]) => [name, Number(gas)]))
    if (process.env['UPDATE']) await Bun.write(snapshot, `${JSON.stringify(measured, null, 2)}\n`)
    expect(measured).toEqual(await Bun.file(snapshot).json())
  })

  test('no suite is left out here', async () => {
    expect(Object.keys(suites).sort()).toEqual(Object.keys(atLeast).sort())
  })
})

async function forgeTest(): Promise<Record<string, Record<string, Result>>> {
  const home = await mkdtemp(join(tmpdir(), 'switchyard-forge-'))
  try {
    const forge = Bun.spawn([forgeBinary(), 'test', '-vv', '--json'], {
      cwd: contracts,
      env: {
        ...process.env,
        HOME: home,
        ...(deepest && { FOUNDRY_FUZZ_RUNS: deepest[0], FOUNDRY_INVARIANT_RUNS: deepest[1] }),
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    const [output, problems] = await Promise.all([new Response(forge.stdout).text(), new Response(forge.stderr).text()])
    const start = output.indexOf('{')
    if (start < 0) throw new Error(`forge: ${output}${problems}`)
    const suites = JSON.parse(output.slice(start)) as Record<string, { test_results: Record<string, Result> }>
    return Object.fromEntries(Object.entries(suites).map(([path, suite]) => [path.split(':')[1]!, suite.test_results]))
  } finally {
    await rm(home, { recursive: true, force: true })
  }
}
