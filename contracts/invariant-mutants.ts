import type { Mutant } from './mutants.ts'

const executor = 'src/RouteExecutor.sol'
const settings = 'src/ExecutorSettings.sol'
const registry = 'src/AccountRegistry.sol'

const broken = (letter: string, name: string, file: string, from: string, to: string): Mutant => ({
  name: `(${letter}) ${name}`,
  file,
  from,
  to,
  killedBy: 'invariant_a_to_j_hold_for_tokens_coin_and_swaps',
  says: `${letter}: `,
})

/** One fault for each of the invariants (a) to (j). Random calls must find it and name its letter. */
export const invariantMutants: readonly Mutant[] = [
  broken(
    'a',
    'an allowance remains',
    executor,
    '        if (order.kind != PAY) _takeApprovalBack(order, account);\n',
    '',
  ),
  broken(
    'b',
    'a route id is not recorded',
    registry,
    'uint256(routeId) >> 8] = bits | bit;',
    'uint256(routeId) >> 8] = bits;',
  ),
  broken(
    'c',
    "the returned coin includes the account's own coin",
    executor,
    'surplus = coin - coinBefore < order.nativeFee ? coin - coinBefore : order.nativeFee;',
    'surplus = coin;',
  ),
  broken('d', "the day's cap counts nothing", settings, '        cap.spent += uint112(amount);\n', ''),
  broken(
    'e',
    'any contract is a module',
    registry,
    'return codeHash != 0 && module.codehash == codeHash;',
    'return codeHash != 0 || module.code.length != 0;',
  ),
  broken(
    'f',
    'a stopped rule stays active',
    settings,
    'else if (what == Item.Rule) delete guardOf[key];',
    'else if (what == Item.Rule) key = key;',
  ),
  broken(
    'f',
    'a change does not wait',
    settings,
    '        if (block.timestamp < ready) revert NotReady(id, ready);\n',
    '',
  ),
  broken(
    'g',
    'one vote replaces a holder',
    registry,
    'if (other == 0 || block.timestamp > other + VOTE_WINDOW) return;',
    'if (other != 0 && block.timestamp > other + VOTE_WINDOW) return;',
  ),
  broken(
    'h',
    'the native fees of failed orders are kept',
    executor,
    '        if (coin == 0) return done;\n',
    '        if (coin <= msg.value) return done;\n',
  ),
  broken('i', 'accounts have other code', registry, '5af43d82803e903d91603157fd5bf3', '5af43d82803e903d91603157fd5b00'),
  broken(
    'j',
    'a failed order uses its id',
    executor,
    '        if (!ok) emit OrderFailed',
    '        if (!ok) IAccountRegistry(address(registry)).open(each.order.accountSalt, each.order.routeId);\n        if (!ok) emit OrderFailed',
  ),
]
