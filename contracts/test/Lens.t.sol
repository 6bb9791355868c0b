// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {BalanceLens} from "../src/BalanceLens.sol";
import {Base} from "./support/Base.sol";
import {SlowToken, UnreadableToken} from "./support/Tokens.sol";

contract NearlyTooSlowToken {
    function balanceOf(address) external view returns (uint256) {
        uint256 start = gasleft();
        while (start - gasleft() < 198_500) {}
        return 7;
    }
}

contract LensTest is Base {
    BalanceLens private lens;

    function setUp() public override {
        super.setUp();
        lens = BalanceLens(vm.deployCode("artifacts/BalanceLens.json", ""));
    }

    function _packed(uint160 from, uint160 count) private pure returns (bytes memory packed) {
        for (uint160 i; i < count; ++i) {
            packed = abi.encodePacked(packed, address(from + i));
        }
    }

    function test_a_hit_is_a_balance_above_the_threshold() public {
        usdc.mint(address(1001), 5);
        usdc.mint(address(1003), type(uint256).max - 10);
        (bytes memory hits, bytes memory failures) = lens.nonZero(address(usdc), _packed(1000, 5), 0);
        require(failures.length == 0);
        require(
            keccak256(hits) == keccak256(abi.encodePacked(uint32(1), uint256(5), uint32(3), type(uint256).max - 10))
        );
        (hits,) = lens.nonZero(address(usdc), _packed(1000, 5), 5);
        require(keccak256(hits) == keccak256(abi.encodePacked(uint32(3), type(uint256).max - 10)));
    }

    function test_the_lens_reads_native_coin() public {
        vm.deal(address(0x10002), 7);
        (bytes memory hits, bytes memory failures) = lens.nonZero(address(0), _packed(0x10000, 4), 0);
        require(failures.length == 0 && keccak256(hits) == keccak256(abi.encodePacked(uint32(2), uint256(7))));
        (hits, failures) = lens.nonZero(address(0), "", 0);
        require(hits.length == 0 && failures.length == 0);
    }

    /// A read fails if the token reverts, returns too little, or burns all gas. The other accounts are still read.
    function test_F25_a_failed_read_is_reported_instead_of_zero() public {
        UnreadableToken t = new UnreadableToken();
        (bytes memory hits, bytes memory failures) = lens.nonZero{gas: 1_000_000}(address(t), _packed(1000, 9), 0);
        require(
            keccak256(failures)
                == keccak256(abi.encodePacked(uint32(1), uint32(2), uint32(3), uint32(5), uint32(6), uint32(7)))
        );
        require(
            keccak256(hits)
                == keccak256(
                    abi.encodePacked(uint32(0), uint256(1000), uint32(4), uint256(1004), uint32(8), uint256(1008))
                )
        );
        (hits, failures) = lens.nonZero(address(0x70CE), _packed(1000, 2), 0); // no code there
        require(hits.length == 0 && failures.length == 8);
    }

    function test_F25_a_read_without_enough_gas_fails_and_omits_no_account() public {
        SlowToken t = new SlowToken();
        uint256 succeeded;
        for (uint256 gas = 300_000; gas < 800_000; gas += 700) {
            try lens.nonZero{gas: gas}(address(t), _packed(1000, 4), 0) returns (bytes memory hits, bytes memory bad) {
                require(hits.length == 144 && bad.length == 0);
                ++succeeded;
            } catch {}
        }
        require(succeeded != 0);
    }

    /// A call gets 63 of 64 parts of the available gas. A token that uses almost the whole allowance is read or
    /// reported.
    function test_F25_each_read_starts_with_its_full_gas_allowance() public {
        NearlyTooSlowToken t = new NearlyTooSlowToken();
        uint256 succeeded;
        for (uint256 gas = 195_000; gas < 240_000; gas += 250) {
            try lens.nonZero{gas: gas}(address(t), _packed(1000, 1), 0) returns (bytes memory hits, bytes memory bad) {
                require(hits.length == 36 && bad.length == 0);
                ++succeeded;
            } catch {}
        }
        require(succeeded != 0);
    }

    /// On Arbitrum the opcode returns the parent chain's number, so the result has none.
    function test_F26_the_result_is_two_lists_without_a_block_number() public view {
        (bool ok, bytes memory answer) =
            address(lens).staticcall(abi.encodeCall(BalanceLens.nonZero, (address(0), "", 0)));
        require(ok && answer.length == 128);
    }

    function testFuzz_every_account_is_a_hit_a_zero_or_a_failure(uint160 from, uint8 count) public {
        // No `assume`: in a long run it rejects more inputs than forge allows.
        from = 0x10000 + from % (type(uint160).max - 300 - 0x10000);
        UnreadableToken t = new UnreadableToken();
        uint160 few = count % 8;
        (bytes memory hits, bytes memory failures) = lens.nonZero(address(t), _packed(from, few), 0);
        _equal(hits.length / 36 + failures.length / 4, few);
    }

    function test_gas_of_five_thousand_accounts() public {
        bytes memory packed = new bytes(100_000);
        uint256 before = gasleft();
        lens.nonZero(address(usdc), packed, 0);
        emit log_named_uint("5,000 warm ERC-20 reads", before - gasleft());
    }
}
