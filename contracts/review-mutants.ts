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
      'test_a_failed_order_emits_the_first_256_bytes_of_its_reason',
    ],
    [
      'a batch needs only the sum of its orders’ gas',
      'need += batch[i].gas + batch[i].gas / 63 + BATCH_GAS;',
      'need += batch[i].gas;',
      'test_a_batch_requires_the_gas_of_all_orders_and_their_calls',
    ],
    [
      'the account itself is a recipient',
      '        if (order.intent.recipient == account) revert BadRecipient(account);\n',
      '',
      'test_F08_unusable_recipients_are_refused',
    ],
    ['the protocol fee has no bound', 'order.protocolFee > order.amountIn / 10 || ', '', 'test_F16_fees_are_bounded'],
    ['fees may take the whole amount', 'fee >= order.amountIn', 'fee > order.amountIn', 'test_F16_fees_are_bounded'],
    [
      'the fees alone count as spent',
      'order.minSpent <= fee',
      'order.minSpent < fee',
      'test_F17_an_order_that_moves_less_than_its_minimum_is_refused',
    ],
    [
      'an order may demand no output',
      ' || order.intent.minOut == 0',
      '',
      'test_F17_an_order_that_moves_less_than_its_minimum_is_refused',
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
      'test_F08_unusable_recipients_are_refused',
    ],
    [
      'the registry is a recipient',
      ' || recipient == address(registry)',
      '',
      'test_F08_unusable_recipients_are_refused',
    ],
    [
      'the bought token is a recipient',
      ' || recipient == order.intent.tokenOut\n',
      '\n',
      'test_F08_unusable_recipients_are_refused',
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
      'a call without a selector matches a rule',
      'if (reader == address(0) || order.data.length < 4) revert',
      'if (reader == address(0)) revert',
      'test_F15_a_rule_is_one_target_one_selector_one_spender',
    ],
    [
      'more than the amount leaves the account',
      '        if (spent > order.amountIn) revert Overspent(spent, order.amountIn);\n',
      '',
      'test_a_token_that_takes_more_than_the_amount_is_refused',
    ],
    [
      'an order may move less than its minimum',
      '        if (spent < order.minSpent) revert Underspent(spent, order.minSpent);\n',
      '',
      'test_F17_an_order_that_moves_less_than_its_minimum_is_refused',
    ],
    [
      'more coin returns to the relayer than it gave',
      '            if (nativeReturned > order.nativeFee) nativeReturned = order.nativeFee;\n',
      '',
      'test_C6_a_coin_bridge_may_leave_dust_and_the_unused_fee_returns',
    ],
    [
      'an allowance may remain',
      '        if (left != 0) revert AllowanceLeft(left);\n',
      '',
      'test_an_order_is_refused_if_an_allowance_remains',
    ],
    [
      'an order is refused in its last second',
      'if (block.timestamp > order.deadline)',
      'if (block.timestamp >= order.deadline)',
      'test_F21_an_order_expires_within_an_hour',
    ],
  ]),
  ...of('src/ExecutorSettings.sol', [
    [
      'a scheduled change is applied during an order',
      'function applyChange(bytes calldata call) external only(ADMIN) nonReentrant {',
      'function applyChange(bytes calldata call) external only(ADMIN) {',
      'test_the_admin_neither_applies_a_change_nor_sweeps_during_an_order',
    ],
    [
      'a sweep runs during an order',
      'external only(ADMIN) nonReentrant {\n        if (!isCollector',
      'external only(ADMIN) {\n        if (!isCollector',
      'test_the_admin_neither_applies_a_change_nor_sweeps_during_an_order',
    ],
    [
      'the guardian cannot cancel a change',
      'function cancel(bytes32 id) external onlyAdminOrGuardian',
      'function cancel(bytes32 id) external only(ADMIN)',
      'test_scheduling_applying_and_cancelling_emit_events',
    ],
    [
      'a change is applied twice',
      '        delete readyAt[id];\n        _scheduledAt',
      '        _scheduledAt',
      'test_F01_a_wider_power_waits_for_its_delay',
    ],
    [
      'a stop does not void a change scheduled in the same second',
      'if (_scheduledAt <= stoppedAt[what][key])',
      'if (_scheduledAt < stoppedAt[what][key])',
      'test_a_lowered_cap_voids_a_scheduled_raise',
    ],
    [
      'lowering to the same cap voids a raise',
      'if (limit >= capOf[token].limit) revert',
      'if (limit > capOf[token].limit) revert',
      'test_a_cap_is_lowered_immediately_and_raised_after_the_delay',
    ],
    [
      'a cap is cut to its type',
      '        if (limit > type(uint112).max) revert BadSetting(Item.Cap, token);\n',
      '',
      'test_impossible_settings_are_refused',
    ],
    [
      'the recovery holder becomes a hot key',
      ' || key == registry.holder(RECOVERY);',
      ';',
      'test_one_key_never_has_two_powers',
    ],
    [
      'the zero address is a collector',
      '        if (collector == address(0)) revert BadSetting(Item.Collector, collector);\n',
      '',
      'test_impossible_settings_are_refused',
    ],
    [
      'a sweep goes to any address',
      '        if (!isCollector[collector]) revert BadSetting(Item.Collector, collector);\n',
      '',
      'test_F32_the_executors_own_balance_goes_only_to_a_collector',
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
      'any caller spends a route id',
      '        if (!isExecutor(msg.sender)) revert Denied(msg.sender);\n        uint256 bit',
      '        uint256 bit',
      'test_F04_code_is_compared_at_installation_and_at_every_use',
    ],
    [
      'a module is installed with other code than scheduled',
      '        if (_moduleCode(module) != pending.codeHash) revert BadModule(module);\n',
      '',
      'test_F04_code_is_compared_at_installation_and_at_every_use',
    ],
    [
      'an earlier schedule reinstalls a removed module',
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
      'withdrawing a missing vote succeeds',
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
      'an account copies a whole response',
      '            if gt(size, RETURN_LIMIT) { size := RETURN_LIMIT }\n',
      '',
      'test_F22_a_return_bomb_costs_no_more_than_the_targets_own_gas',
    ],
    ['an account signs', 'return 0xffffffff;', 'return 0x1626ba7e;', 'testFuzz_an_account_accepts_no_signature'],
    [
      'an account acts once in a transaction',
      '        _busy = false;\n',
      '',
      'test_F22_a_return_bomb_costs_no_more_than_the_targets_own_gas',
    ],
  ]),
  ...of('src/RecoveryExecutor.sol', [
    [
      'one more refund runs per day',
      'if (count == REFUNDS_PER_DAY)',
      'if (count > REFUNDS_PER_DAY)',
      'test_at_most_twenty_refunds_run_in_a_day',
    ],
    [
      'a refund goes to any receiver',
      '        _checkReceiver(order.intent.recipient, account, order.token);\n',
      '',
      'test_unusable_receivers_are_refused',
    ],
    [
      'the executor is a receiver',
      '\n                || to == address(routes)\n',
      '\n',
      'test_unusable_receivers_are_refused',
    ],
    [
      'a veto leaves the votes',
      '            delete _votes[approval][role];\n',
      '',
      'test_a_recovery_emits_an_event_for_each_step',
    ],
    [
      'a refund may move more than its amount',
      '        if (spent > order.amountIn) revert RouteExecutor.Overspent(spent, order.amountIn);\n',
      '',
      'test_unusual_tokens_are_refunded_only_within_the_orders_terms',
    ],
    [
      'a recovery starts during a refund',
      'external nonReentrant returns (address account) {\n        _roleOf',
      'external returns (address account) {\n        _roleOf',
      'test_no_recovery_starts_during_a_refund',
    ],
  ]),
  ...of('src/guards/LifiBridgeGuard.sol', [
    [
      'a bridge makes a call on arrival',
      '\n                || word(bridge, 288) != 0\n',
      '\n',
      'testFuzz_changed_bridge_data_are_refused',
    ],
  ]),
  ...of('src/guards/LifiAcrossGuard.sol', [
    [
      'Across carries a message',
      ' || !isEmpty(facet, 320)',
      '',
      'test_the_across_guard_checks_every_field_of_its_facet',
    ],
  ]),
  ...of('src/guards/LifiStargateGuard.sol', [
    [
      'Stargate takes a fee in its own token',
      ' || word(facet, 96) != 0',
      '',
      'test_the_stargate_guard_checks_every_field_of_its_facet',
    ],
    [
      'Stargate composes a message',
      ' && isEmpty(send, 160)',
      '',
      'test_the_stargate_guard_checks_every_field_of_its_facet',
    ],
  ]),
  ...of('src/guards/LifiPolymerGuard.sol', [
    [
      'with a fee, Polymer’s refund may go to any caller',
      ' && (refunded != 0 || bridged.afterFee)',
      ' && refunded != 0',
      'test_the_polymer_guard_checks_every_field_of_its_facet',
    ],
  ]),
  ...of('src/guards/Calldata.sol', [
    [
      'a swap of nothing takes the amount',
      'return count != 0 && (',
      'return (',
      'test_a_fee_in_native_coin_may_be_less_than_the_amount',
    ],
  ]),
  ...of('src/BalanceLens.sol', [
    [
      'a read of a balance gets less than its gas allowance',
      'if (gasleft() < READ_GAS + READ_GAS / 32)',
      'if (gasleft() < READ_GAS)',
      'test_F25_each_read_starts_with_its_full_gas_allowance',
    ],
    [
      'a response shorter than a word counts as a balance',
      '            ok := and(ok, gt(returndatasize(), 0x1f))\n',
      '',
      'testFuzz_every_account_is_a_hit_a_zero_or_a_failure',
    ],
  ]),
]
