import { beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { Glob } from 'bun'
import { abiModule, artifactJson } from '../../contracts/artifact-files'
import { compileContracts, compileForTestnet } from '../../contracts/compile'
import { currentDigest, recordedDigest } from '../../contracts/digest'
import { isNightly, nightly } from '../support/depth'

const folder = join(import.meta.dir, '../../contracts/artifacts')

const artifacts = [...new Glob('*.json').scanSync(folder)].filter((name) => name !== 'digest.json').toSorted()

test('neither sources, settings, compiler nor artifacts have changed since contracts/build.ts wrote them', async () => {
  expect(await currentDigest(), 'run bun contracts/build.ts').toEqual(await recordedDigest())
})

test('every contract fits the 24,576 bytes of a block explorer, a chain and a wallet', async () => {
  const files = await Promise.all(artifacts.map((name) => Bun.file(join(folder, name)).json()))
  expect(files.length).toBeGreaterThan(20)
  const sizes = files.map(({ deployedBytecode }) => deployedBytecode.length / 2 - 1)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(24_576)
})

describe('the committed artifacts match the compiled sources', () => {
  let compiled: ReturnType<typeof compileContracts>
  beforeAll(() => {
    if (isNightly) compiled = compileContracts()
  })

  nightly('every contract, byte for byte', async () => {
    for (const artifact of await compiled) {
      const committed = await Bun.file(join(folder, `${artifact.name}.json`)).text()
      expect(committed === artifactJson(artifact), `${artifact.name}: run bun contracts/build.ts`).toBe(true)
    }
  })

  nightly('and those of the test networks, which differ only in their tables of chains', async () => {
    const testnet = await compileForTestnet()
    const own = join(folder, 'testnet')
    expect(testnet.map(({ name }) => `${name}.json`)).toEqual([...new Glob('*.json').scanSync(own)].toSorted())
    for (const artifact of testnet) {
      const committed = await Bun.file(join(own, `${artifact.name}.json`)).text()
      expect(committed === artifactJson(artifact), `testnet/${artifact.name}: run bun contracts/build.ts`).toBe(true)
      const { abi } = await Bun.file(join(folder, `${artifact.name}.json`)).json()
      expect(artifact.abi).toEqual(abi)
    }
  })

  nightly('and the ABIs that TypeScript reads', async () => {
    const committed = await Bun.file(join(folder, 'abi.ts')).text()
    expect(committed === abiModule(await compiled), 'abi.ts: run bun contracts/build.ts').toBe(true)
  })

  nightly('every committed artifact has a source', async () => {
    const names = (await compiled).map(({ name }) => `${name}.json`)
    expect(artifacts.filter((file) => !names.includes(file))).toEqual([])
  })
})
