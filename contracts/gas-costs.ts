import { join } from 'node:path'
import { standardInputs } from './compile.ts'
import { type Copy, copyContracts } from './copy.ts'

/**
 * Measures the gas of each protection of the RouteExecutor. The contract is compiled as for a chain, first whole and
 * then without each protection in turn. Each time the later route of `Gas.t.sol` is measured. This produced the table
 * in `README.md`.
 */
const main = 'src/RouteExecutor.sol'
type Edit = readonly [from: string, to: string]
const without = (line: string): Edit => [line, '']

const signature = without('if (!isSigner[ECDSA.recoverCalldata(hashOrder(order), signature)]) revert BadSignature();')
const guard: Edit = [
  'if (!IRouteGuard(reader).check(order.data, account, order.token, amount, order.nativeFee, order.intent)) {',
  'if (reader == account) {',
]
const pin = without('if (reader.codehash != guard.codeHash) revert GuardChanged(reader);')
const feeArrives: readonly Edit[] = [
  without('if (fee != 0) had.collector = _balance(order.token, order.collector);'),
  ['if (fee != 0) {\n            uint256 got', 'if (fee > order.amountIn) {\n            uint256 got'],
]
const event = without('_emitExecuted(order, account, spent, nativeReturned, relayer);')

const protections: Record<string, readonly Edit[]> = {
  'the signature of the second key, and the list of signers': [signature],
  'the list of relayers': [without('if (!isRelayer[relayer]) revert NotRelayer(relayer);')],
  'the list of collectors': [
    ['if (!isCollector[order.collector] && (fee', 'if (order.collector == address(this) && (fee'],
  ],
  'the pause, and the bound of the native fee': [
    without('if (paused) revert Paused();'),
    without(' || order.nativeFee > maxNativeFee'),
  ],
  'the cap of the day': [without('_countAgainstCap(order.token, order.amountIn);')],
  'the guard that reads the calldata': [guard],
  "the comparison of the guard's code": [pin],
  'rule, guard and its code together': [without('_checkCall(order, account, order.amountIn - fee);')],
  'the check that the fee arrives': feeArrives,
  'no allowance before, and none after': [
    ['if (IERC20(order.token).allowance(account, order.spender) != 0) {', 'if (order.spender == account) {'],
    without('if (order.kind != PAY) _takeApprovalBack(order, account);'),
  ],
  'the event with every figure of the ledger': [event],
}

async function compile(copy: Copy, edits: readonly Edit[]): Promise<void> {
  const { own } = (await standardInputs()) as {
    own: { sources: Record<string, { content: string }>; settings: object }
  }
  let content = own.sources[main]!.content
  for (const [from, to] of edits) {
    if (content.split(from).length !== 2) throw new Error(`${main} must contain this text exactly once: ${from}`)
    content = content.replace(from, () => to)
  }
  const outputs = { [main]: { RouteExecutor: ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] } }
  const input = {
    ...own,
    sources: { ...own.sources, [main]: { content } },
    settings: { ...own.settings, outputSelection: outputs },
  }
  const solc = Bun.spawn(['node', join(import.meta.dir, 'tools/solc'), '--standard-json'], {
    stdin: new Blob([JSON.stringify(input)]),
    stdout: 'pipe',
  })
  const made = JSON.parse(await new Response(solc.stdout).text())
  const { abi, evm } = made.contracts[main].RouteExecutor
  const artifact = { abi, bytecode: `0x${evm.bytecode.object}`, deployedBytecode: `0x${evm.deployedBytecode.object}` }
  await Bun.write(join(copy.contracts, 'artifacts/RouteExecutor.json'), JSON.stringify(artifact))
}

async function laterRoute(copy: Copy): Promise<number> {
  const { output } = await copy.forge(['test', '--match-test', 'test_gas_budget_of_a_bridge_route', '-vv'])
  const measured = /bridge, later route: (\d+)/.exec(output)
  if (!measured) throw new Error(`Nothing was measured: ${output}`)
  return Number(measured[1])
}

const copy = await copyContracts('artifacts')
try {
  await compile(copy, [])
  const whole = await laterRoute(copy)
  console.log(`| a later route | ${whole} |`)
  for (const [name, edits] of Object.entries(protections)) {
    await compile(copy, edits)
    console.log(`| ${name} | ${whole - (await laterRoute(copy))} |`)
  }
} finally {
  await copy.remove()
}
