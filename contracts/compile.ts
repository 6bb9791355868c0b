import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'

export interface Artifact {
  readonly name: string
  readonly abi: readonly unknown[]
  readonly bytecode: string
  readonly deployedBytecode: string
  /** The byte offsets in the deployed code where the constructor writes immutables. */
  readonly immutables: readonly number[]
}

const root = import.meta.dir
const vendored = join(root, '../node_modules')

/**
 * These files are compiled alone with their imports. The compiler's output can depend on its other input, and the code
 * of the frozen contracts must never change when other contracts do.
 */
const frozen = ['src/AccountRegistry.sol']

/** The source files that another file replaces on the test networks: contracts have other addresses there. */
const onTestnet: Record<string, string> = { 'src/guards/Assets.sol': 'testnet/Assets.sol' }

const settings = {
  viaIR: true,
  evmVersion: 'cancun',
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
  outputSelection: {
    '*': {
      '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object', 'evm.deployedBytecode.immutableReferences'],
    },
  },
}

/** The files that are compiled together, in three groups. */
function sourceGroups() {
  const all = [...new Glob('{src,devnet}/**/*.sol').scanSync(root)].sort()
  const devnet = all.filter((path) => path.startsWith('devnet/'))
  return { frozen, own: all.filter((path) => path.startsWith('src/') && !frozen.includes(path)), devnet }
}

/** The compiler's input in the form that explorers need to verify the sources: one input for each group. */
export async function standardInputs(): Promise<Record<'frozen' | 'own' | 'testnet', object>> {
  const { frozen, own } = sourceGroups()
  const testnet = await standardInput(await testnetSources(), onTestnet)
  return { frozen: await standardInput(frozen), own: await standardInput(own), testnet }
}

/** Everything that the compiler reads for the artifacts, the devnet's contracts included. */
export async function compilerInputs(): Promise<Record<string, object>> {
  return { ...(await standardInputs()), devnet: await standardInput(sourceGroups().devnet) }
}

const standardInput = async (paths: readonly string[], instead?: Record<string, string>) => ({
  language: 'Solidity',
  sources: await withImports(paths, instead),
  settings,
})

export async function compileContracts(): Promise<Artifact[]> {
  const { frozen, own, devnet } = sourceGroups()
  const groups = await Promise.all(
    [frozen, own, devnet].filter((paths) => paths.length > 0).map((paths) => compile(paths)),
  )
  const byName = new Map(groups.flat().map((artifact) => [artifact.name, artifact]))
  for (const artifact of groups[0]!) byName.set(artifact.name, artifact)
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The contracts that have other sources on the test networks. */
export async function compileForTestnet(): Promise<Artifact[]> {
  const artifacts = await compile(await testnetSources(), onTestnet)
  return artifacts.sort((a, b) => (a.name < b.name ? -1 : 1))
}

async function testnetSources(): Promise<string[]> {
  const named = sourceGroups().own.map(async (path) => [path, Object.keys(await withImports([path]))] as const)
  return (await Promise.all(named)).flatMap(([path, sources]) =>
    path in onTestnet || !sources.some((source) => source in onTestnet) ? [] : [path],
  )
}

async function compile(entries: readonly string[], instead: Record<string, string> = {}): Promise<Artifact[]> {
  const input = await standardInput(entries, instead)
  const solc = Bun.spawn(['node', join(root, 'tools/solc'), '--standard-json'], {
    cwd: root,
    stdin: new Blob([JSON.stringify(input)]),
    stderr: 'inherit',
  })
  const output = (await new Response(solc.stdout).json()) as SolcOutput
  const errors = output.errors?.filter(({ severity }) => severity === 'error') ?? []
  if (errors.length > 0) throw new Error(errors.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const own = Object.entries(output.contracts).filter(([path]) => /^(src|devnet)\//.test(path))
  return own.flatMap(([, contracts]) =>
    Object.entries(contracts)
      .filter(([, { evm }]) => evm.bytecode.object !== '')
      .map(([name, { abi, evm }]) => ({
        name,
        abi,
        bytecode: `0x${evm.bytecode.object}`,
        deployedBytecode: `0x${evm.deployedBytecode.object}`,
        immutables: Object.values(evm.deployedBytecode.immutableReferences ?? {})
          .flatMap((places) => places.map(({ start }) => start))
          .sort((a, b) => a - b),
      })),
  )
}

async function withImports(
  entries: readonly string[],
  instead: Record<string, string> = {},
): Promise<Record<string, { content: string }>> {
  const sources: Record<string, { content: string }> = {}
  const open = [...entries]
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (sources[path]) continue
    const content = await Bun.file(join(path.startsWith('@') ? vendored : root, instead[path] ?? path)).text()
    sources[path] = { content }
    for (const [, imported] of content.matchAll(/^import\s[^;]*?"([^"]+)";/gm)) {
      open.push(imported!.startsWith('.') ? normalize(join(dirname(path), imported!)) : imported!)
    }
  }
  return sources
}

interface SolcOutput {
  readonly errors?: readonly { readonly severity: string; readonly formattedMessage: string }[]
  readonly contracts: Record<string, Record<string, SolcContract>>
}

interface SolcContract {
  readonly abi: readonly unknown[]
  readonly evm: {
    readonly bytecode: { readonly object: string }
    readonly deployedBytecode: {
      readonly object: string
      readonly immutableReferences?: Record<string, readonly { readonly start: number }[]>
    }
  }
}
