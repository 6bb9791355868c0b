/**
 * Changes of the contracts that no test detected at first, each with the test that detects it now. `mutate.ts` makes
 * each of them in a copy. The test must fail there, with the words in `says` if the mutant has them.
 */
export type Mutant = { name: string; file: string; from: string; to: string; killedBy: string; says?: string }

const settings = 'src/ExecutorSettings.sol'
const executor = 'src/RouteExecutor.sol'
const assets = 'src/guards/Assets.sol'
const swaps = 'src/guards/LifiSwapGuard.sol'

const cctp = 'src/guards/CctpBurnGuard.sol'

const voids = 'test_a_stop_voids_any_scheduled_change_of_the_same_item'
const unvoided = (fn: string, key: string, none: string): Mutant => ({
  name: `a stop does not void a scheduled ${fn}`,
  file: settings,
  from: key,
  to: none,
  killedBy: voids,
})

export const mutants: readonly Mutant[] = [
  unvoided('relayer', 'scheduled(Item.Relayer, _key(relayer))', 'scheduled(Item.Relayer, bytes32(uint256(1)))'),
  unvoided('collector', 'scheduled(Item.Collector, _key(collector))', 'scheduled(Item.Collector, 0)'),
  unvoided('native fee', 'scheduled(Item.NativeFee, 0)', 'scheduled(Item.NativeFee, bytes32(uint256(1)))'),
  unvoided(
    'rule',
    'scheduled(Item.Rule, ruleKey(rule.target, rule.selector, rule.spender))',
    'scheduled(Item.Rule, 0)',
  ),
  {
    name: 'a lowered cap leaves a scheduled raise',
    file: settings,
    from: '        stoppedAt[Item.Cap][_key(token)] = uint64(block.timestamp);\n',
    to: '',
    killedBy: 'test_a_lowered_cap_voids_a_scheduled_raise',
  },
  {
    name: 'a signer may become a relayer',
    file: settings,
    from: '_checkHotKey(Item.Relayer, relayer, isSigner[relayer]);',
    to: '_checkHotKey(Item.Relayer, relayer, false);',
    killedBy: 'test_a_signer_never_becomes_a_relayer_nor_a_relayer_a_signer',
  },
  {
    name: 'the guardian sweeps',
    file: settings,
    from: 'function sweep(address token, address collector) external only(ADMIN)',
    to: 'function sweep(address token, address collector) external onlyAdminOrGuardian',
    killedBy: 'test_only_the_admin_sweeps',
  },
  {
    name: 'a fee may arrive one unit short',
    file: executor,
    from: 'if (got < fee) revert FeeNotReceived(got, fee);',
    to: 'if (got + 1 < fee) revert FeeNotReceived(got, fee);',
    killedBy: 'test_an_order_is_refused_if_its_fee_arrives_one_unit_short',
  },
  {
    name: 'a stop emits no event',
    file: settings,
    from: '        emit Stopped(what, key, msg.sender);\n',
    to: '',
    killedBy: 'test_a_stop_emits_the_stopped_item_and_its_caller',
  },
  {
    name: 'an order of exactly one hour is too long',
    file: executor,
    from: 'if (order.deadline > block.timestamp + MAX_LIFETIME)',
    to: 'if (order.deadline >= block.timestamp + MAX_LIFETIME)',
    killedBy: 'test_an_order_may_live_exactly_one_hour',
  },
  {
    name: 'Polymer burns any token',
    file: 'src/guards/LifiPolymerGuard.sol',
    from: ' || bridged.token != usdc(block.chainid)',
    to: '',
    killedBy: 'test_polymer_burns_only_circles_token_of_this_chain',
  },
  {
    name: 'Ethereum has another number at LayerZero',
    file: assets,
    from: 'return 30101;',
    to: 'return 30102;',
    killedBy: 'test_stargate_delivers_between_every_two_chains_that_have_the_asset',
  },
  {
    name: 'Avalanche has another USDT',
    file: assets,
    from: '0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7',
    to: '0xc7198437980c041c805A1EDcbA50c1Ce5db95118',
    killedBy: 'test_stargate_delivers_between_every_two_chains_that_have_the_asset',
  },
  {
    name: 'Avalanche has another wrapped coin',
    file: assets,
    from: '0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7',
    to: '0x49D5c2BdFfac6CE2BFdB6640F4F80f226bc10bAB',
    killedBy: 'test_across_wraps_the_coin_of_every_chain',
  },
  {
    name: 'a single swap is missing',
    file: swaps,
    from: 'selector == 0x733214a3 || ',
    to: '',
    killedBy: 'test_each_of_the_six_swaps_is_admitted',
  },
  {
    name: 'a multiple swap is missing',
    file: swaps,
    from: 'selector == 0x2c57e884 || ',
    to: '',
    killedBy: 'test_each_of_the_six_swaps_is_admitted',
  },
  {
    name: "Circle's bridge pays any recipient",
    file: cctp,
    from: '|| word(args, 64) != uint160(intent.recipient)',
    to: '',
    killedBy: 'test_a_burn_that_differs_from_the_order_is_refused',
  },
  {
    name: "Circle's bridge takes the fee out of the minimum",
    file: cctp,
    from: 'word(args, 160) > amount - intent.minOut',
    to: 'word(args, 160) > amount',
    killedBy: 'test_circles_fee_is_at_most_the_amount_above_the_minimum',
  },
  {
    name: 'a burn allows only one caller to mint it',
    file: cctp,
    from: 'word(args, 128) != 0 || ',
    to: '',
    killedBy: 'testFuzz_a_changed_word_in_a_burn_is_refused',
  },
  {
    name: 'a burn is attested at any finality',
    file: cctp,
    from: 'return word(args, 192) == FAST || word(args, 192) == STANDARD;',
    to: 'return word(args, 192) != 0;',
    killedBy: 'test_a_burn_is_admitted_at_fast_or_standard_finality',
  },
  {
    name: 'a burn may carry a hook',
    file: cctp,
    from: 'data.length != SIZE || ',
    to: '',
    killedBy: 'testFuzz_a_burn_of_another_length_is_refused',
  },
  {
    name: 'a burn has another amount',
    file: cctp,
    from: 'word(args, 0) == amount && ',
    to: '',
    killedBy: 'testFuzz_a_changed_word_in_a_burn_is_refused',
  },
  {
    name: "Circle's bridge burns any token",
    file: cctp,
    from: ' || token != usdc(block.chainid)',
    to: '',
    killedBy: 'test_circle_burns_and_mints_usdc_between_every_two_chains',
  },
  {
    name: "Circle's bridge mints for any token",
    file: cctp,
    from: ' || intent.tokenOut != minted',
    to: '',
    killedBy: 'test_a_burn_that_differs_from_the_order_is_refused',
  },
  {
    name: 'Arbitrum has the domain of another chain',
    file: assets,
    from: 'if (chainId == 42161) return 3;',
    to: 'if (chainId == 42161) return 2;',
    killedBy: 'test_circle_burns_and_mints_usdc_between_every_two_chains',
  },
]
