import { join } from 'node:path'
import { copyContracts } from './copy.ts'

/**
 * Measures which branches, lines and functions of `src` the tests reach. Fails if one is not reached, unless it is
 * accepted here with its reason. RelayDepositGuard is left out: it needs viaIR, and forge cannot map branches with
 * that.
 */
const accepted = [
  // Every order passes this line, and it makes `test_reentrant_token` fail. Forge does not count it in this modifier.
  { file: 'src/ExecutorSettings.sol', line: 'if (_busy) revert Reentered();' },
]
const leastBranches = 185

const copy = await copyContracts('sources')
try {
  // The optimizer is off, so gas and addresses differ.
  const others = ['--no-match-contract', 'GasTest$', '--no-match-test', '^test_addresses_match_those_that_typescript']
  const { code, output } = await copy.forge(['coverage', ...others, '--report', 'lcov', '--report-file', 'lcov.info'])
  if (code !== 0) throw new Error(`The tests fail: ${output}`)
  const { missed, branches } = await missedIn(await Bun.file(join(copy.contracts, 'lcov.info')).text())
  for (const place of missed) console.log(`not reached: ${place}`)
  console.log(`${branches} branches of src, ${missed.length} places that no test reaches`)
  if (branches < leastBranches) throw new Error('Fewer branches were measured than there are')
  process.exitCode = missed.length
} finally {
  await copy.remove()
}

/** The places that an lcov report lists as not reached, and its number of branches. */
async function missedIn(report: string): Promise<{ missed: string[]; branches: number }> {
  const missed = new Set<string>()
  let branches = 0
  for (const record of report.split('end_of_record')) {
    const file = /^SF:(src\/.*)$/m.exec(record)?.[1]
    if (!file) continue
    const lines = (await Bun.file(join(copy.contracts, file)).text()).split('\n')
    branches += record.match(/^BRDA:/gm)?.length ?? 0
    const numbers = [...record.matchAll(/^(?:BRDA:(\d+),\d+,\d+,(?:0|-)|DA:(\d+),0)$/gm)]
    for (const [, branch, line] of numbers) {
      const number = Number(branch ?? line)
      const text = lines[number - 1]!.trim()
      if (accepted.some((each) => each.file === file && each.line === text)) continue
      missed.add(`${file}:${number} ${text}`)
    }
  }
  return { missed: [...missed], branches }
}
