import type { Mutant } from './mutants.ts'

type Row = readonly [name: string, from: string, to: string, killedBy: string]

const of = (file: string, rows: readonly Row[]): Mutant[] =>
  rows.map(([name, from, to, killedBy]) => ({ name, file, from, to, killedBy }))

/** Faults chosen after the third review, including four from it, each with the test that detects it. */
export const reviewMutants: readonly Mutant[] = [
  ...of('src/RouteExecutor.sol', [
    [
      'the reason of a failed order may have any length',
      '                if gt(size, REASON_LIMIT) { size := REASON_LIMIT }\n',
      '',
      'test_of_the_reason_of_a_failed_order_exactly_256_bytes_are_told',
    ],
    [
      'a batch needs only the sum of its orders’ gas',
      'need += batch[i].gas + batch[i].gas / 63 + BATCH_GAS;',
      'need += batch[i].gas;',
      'test_a_batch_demands_the_gas_of_all_and_what_their_calls_take',
    ],
    [
      'the account itself is a recipient',
      '        if (order.intent.recipient == account) revert BadRecipient(account);\n',
      '',
      'test_F08_foolish_recipients_are_refused',
    ],
    ['the protocol fee has no bound', 'order.protocolFee > order.amountIn / 10 || ', '', 'test_F16_fees_are_bounded'],
    ['fees may take the whole amount', 'fee >= order.amountIn', 'fee > order.amountIn', 'test_F16_fees_are_bounded'],
    [
      'the fees alone count as spent',
      'order.minSpent <= fee',
      'order.minSpent < fee',
      'test_F17_less_than_the_signed_minimum_is_no_route',
    ],
    [
      'an order may demand no output',
      ' || order.intent.minOut == 0',
      '',
      'test_F17_less_than_the_signed_minimum_is_no_route',
    ],
    [
      'the native fee has no bound',
      ' || order.nativeFee > maxNativeFee',
      '',
      'test_F19_the_native_fee_is_bounded_exact_and_its_surplus_returns',
    ],
    [
      'the collector is a recipient',
      ' || recipient == order.collector\n',
      '\n',
      'test_F08_foolish_recipients_are_refused',
    ],
    [
      'the registry is a recipient',
      ' || recipient == address(registry)',
      '',
      'test_F08_foolish_recipients_are_refused',
    ],
    [
      'the bought token is a recipient',
      ' || recipient == order.intent.tokenOut\n',
      '\n',
      'test_F08_foolish_recipients_are_refused',
    ],
    [
      'a payment names another token',
      ' || order.intent.tokenOut != order.token) revert',
      ') revert',
      'test_F08_kind_and_chain_agree_and_fields_of_other_kinds_are_empty',
    ],
    [
      'the coin has a spender',
      '        if ((order.token == address(0)) != (order.spender == address(0))) revert BadKind(order.kind);\n',
      '',
      'test_F08_kind_and_chain_agree_and_fields_of_other_kinds_are_empty',
    ],
    [
      'a call without a selector finds a rule',
      'if (reader == address(0) || order.data.length < 4) revert',
      'if (reader == address(0)) revert',
      'test_F15_a_rule_is_one_target_one_selector_one_spender',
    ],
    [
      'more than the amount leaves',
      '        if (spent > order.amountIn) revert Overspent(spent, order.amountIn);\n',
      '',
      'test_a_token_that_takes_more_than_it_is_told',
    ],
    [
      'less than the minimum is a route',
      '        if (spent < order.minSpent) revert Underspent(spent, order.minSpent);\n',
      '',
      'test_F17_less_than_the_signed_minimum_is_no_route',
    ],
    [
      'more coin returns to the relayer than it gave',
      '            if (nativeReturned > order.nativeFee) nativeReturned = order.nativeFee;\n',
      '',
      'test_C6_of_the_coin_dust_may_stay_and_the_rest_of_the_fee_returns',
    ],
    [
      'an allowance may be left',
      '        if (left != 0) revert AllowanceLeft(left);\n',
      '',
      'test_an_allowance_that_stays_refuses_the_route',
    ],
    [
      'an order that is late by its last second is refused',
      'if (block.timestamp > order.deadline)',
      'if (block.timestamp >= order.deadline)',
      'test_F21_an_order_lives_an_hour_at_most',
    ],
  ]),
  ...of('src/ExecutorSettings.sol', [
    [
      'a scheduled change is applied in the middle of an order',
      'function applyChange(bytes calldata call) external only(ADMIN) nonReentrant {',
      'function applyChange(bytes calldata call) external only(ADMIN) {',
      'test_in_the_middle_of_an_order_the_admin_neither_applies_a_change_nor_sweeps',
    ],
    [
      'a sweep runs in the middle of an order',
      'external only(ADMIN) nonReentrant {\n        if (!isCollector',
      'external only(ADMIN) {\n        if (!isCollector',
      'test_in_the_middle_of_an_order_the_admin_neither_applies_a_change_nor_sweeps',
    ],
    [
      'the guardian cannot cancel a change',
      'function cancel(bytes32 id) external onlyAdminOrGuardian',
      'function cancel(bytes32 id) external only(ADMIN)',
      'test_what_is_scheduled_applied_or_cancelled_is_told',
    ],
    [
      'a change is applied twice',
      '        delete readyAt[id];\n        _scheduledAt',
      '        _scheduledAt',
      'test_F01_no_widening_is_sooner_than_its_delay',
    ],
    [
      'a stop does not void what was scheduled in the same second',
      'if (_scheduledAt <= stoppedAt[what][key])',
      'if (_scheduledAt < stoppedAt[what][key])',
      'test_a_lowered_cap_voids_the_raise_that_waits',
    ],
    [
      'lowering to the same cap voids a raise',
      'if (limit >= capOf[token].limit) revert',
      'if (limit > capOf[token].limit) revert',
      'test_a_cap_is_lowered_at_once_and_raised_with_delay',
    ],
    [
      'a cap is cut to its type',
      '        if (limit > type(uint112).max) revert BadSetting(Item.Cap, token);\n',
      '',
      'test_other_impossible_settings',
    ],
    [
      'the recovery holder becomes a hot key',
      ' || key == registry.holder(RECOVERY);',
      ';',
      'test_one_key_never_has_two_powers',
    ],
    [
      'nobody is a collector',
      '        if (collector == address(0)) revert BadSetting(Item.Collector, collector);\n',
      '',
      'test_other_impossible_settings',
    ],
    [
      'a sweep goes to anybody',
      '        if (!isCollector[collector]) revert BadSetting(Item.Collector, collector);\n',
      '',
      'test_F32_the_executors_own_balance_goes_to_a_collector_only',
    ],
    [
      'a target has no code',
      '        if (rule.target.code.length == 0) revert BadSetting(Item.Rule, rule.target);\n',
      '',
      'test_F29_a_rule_names_addresses_with_code',
    ],
  ]),
  ...of('src/guards/LifiSwapGuard.sol', [
    ['a token is swapped for itself', ' || intent.tokenOut == token', '', 'test_a_token_is_not_swapped_for_itself'],
  ]),
  ...of('src/AccountRegistry.sol', [
    [
      'anybody spends a route id',
      '        if (!isExecutor(msg.sender)) revert Denied(msg.sender);\n        uint256 bit',
      '        uint256 bit',
      'test_F04_code_is_compared_at_installation_and_at_every_use',
    ],
    [
      'other code is installed than was scheduled',
      '        if (_moduleCode(module) != pending.codeHash) revert BadModule(module);\n',
      '',
      'test_F04_code_is_compared_at_installation_and_at_every_use',
    ],
    [
      'a removed module comes back by a schedule of before',
      '        delete moduleCodeHash[module];\n        delete pendingModule[module];\n',
      '        delete moduleCodeHash[module];\n',
      'test_a_removal_voids_a_schedule_of_the_same_module',
    ],
    [
      'a holder has two roles',
      ' || _roleOf(next) <= RECOVERY) revert',
      ') revert',
      'test_F11_a_role_cannot_be_given_up_or_doubled',
    ],
    [
      'a vote that is none is withdrawn',
      'if (by > RECOVERY || votes[by] == 0) revert',
      'if (by > RECOVERY) revert',
      'test_C9_a_vote_can_be_withdrawn',
    ],
  ]),
  ...of('src/ModularAccount.sol', [
    [
      'a call to no code succeeds',
      '        if (data.length != 0 && target.code.length == 0) revert NoCode(target);\n',
      '',
      'test_data_is_never_sent_to_an_address_without_code',
    ],
    [
      'an account keeps the whole of an answer',
      '            if gt(size, RETURN_LIMIT) { size := RETURN_LIMIT }\n',
      '',
      'test_F22_a_return_bomb_costs_its_maker',
    ],
    ['an account signs', 'return 0xffffffff;', 'return 0x1626ba7e;', 'testFuzz_no_signature_in_its_name_is_ever_valid'],
    ['an account acts once in a transaction', '        _busy = false;\n', '', 'test_F22_a_return_bomb_costs_its_maker'],
  ]),
  ...of('src/RecoveryExecutor.sol', [
    [
      'one refund more a day',
      'if (count == REFUNDS_PER_DAY)',
      'if (count > REFUNDS_PER_DAY)',
      'test_twenty_refunds_a_day_and_no_more',
    ],
    [
      'a refund goes to any receiver',
      '        _checkReceiver(order.intent.recipient, account, order.token);\n',
      '',
      'test_foolish_receivers_are_refused',
    ],
    [
      'the executor is a receiver',
      '\n                || to == address(routes)\n',
      '\n',
      'test_foolish_receivers_are_refused',
    ],
    [
      'a veto leaves the votes',
      '            delete _votes[approval][role];\n',
      '',
      'test_a_recovery_says_what_an_auditor_needs',
    ],
    [
      'a refund may move more than it says',
      '        if (spent > order.amountIn) revert RouteExecutor.Overspent(spent, order.amountIn);\n',
      '',
      'test_awkward_tokens_go_back_as_far_as_the_order_allows',
    ],
    [
      'a recovery begins in the middle of a refund',
      'external nonReentrant returns (address account) {\n        _roleOf',
      'external returns (address account) {\n        _roleOf',
      'test_no_recovery_begins_in_the_middle_of_a_refund',
    ],
  ]),
  ...of('src/guards/LifiBridgeGuard.sol', [
    [
      'a bridge calls somebody on arrival',
      '\n                || word(bridge, 288) != 0\n',
      '\n',
      'testFuzz_no_other_bridge_data_pass',
    ],
  ]),
  ...of('src/guards/LifiAcrossGuard.sol', [
    [
      'Across carries a message',
      ' || !isEmpty(facet, 320)',
      '',
      'test_across_has_a_receiver_a_refund_a_token_a_minimum_and_a_message_of_its_own',
    ],
  ]),
  ...of('src/guards/LifiStargateGuard.sol', [
    [
      'Stargate takes a fee in its own token',
      ' || word(facet, 96) != 0',
      '',
      'test_stargate_has_a_receiver_a_chain_a_refund_a_minimum_and_two_messages_of_its_own',
    ],
    [
      'Stargate composes a message',
      ' && isEmpty(send, 160)',
      '',
      'test_stargate_has_a_receiver_a_chain_a_refund_a_minimum_and_two_messages_of_its_own',
    ],
  ]),
  ...of('src/guards/LifiPolymerGuard.sol', [
    [
      'after a fee Polymer refunds anybody who calls',
      ' && (refunded != 0 || bridged.afterFee)',
      ' && refunded != 0',
      'test_polymer_has_receivers_elsewhere_a_refund_two_fees_and_a_hook_of_its_own',
    ],
  ]),
  ...of('src/guards/Calldata.sol', [
    [
      'a swap of nothing takes the amount',
      'return count != 0 && (',
      'return (',
      'test_of_the_coin_a_fee_may_take_less_than_is_sent',
    ],
  ]),
  ...of('src/BalanceLens.sol', [
    [
      'a read of a balance has less gas than it may use',
      'if (gasleft() < READ_GAS + READ_GAS / 32)',
      'if (gasleft() < READ_GAS)',
      'test_F25_a_read_is_begun_with_all_the_gas_that_it_may_use',
    ],
    [
      'an answer of less than a word is a balance',
      '            ok := and(ok, gt(returndatasize(), 0x1f))\n',
      '',
      'testFuzz_every_account_is_a_hit_a_zero_or_a_failure',
    ],
  ]),
]
