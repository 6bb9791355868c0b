// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {AccountRegistry} from "../src/AccountRegistry.sol";
import {Execution, IERC7579AccountConfig, ModularAccount} from "../src/ModularAccount.sol";
import {Order} from "../src/Order.sol";
import {Base} from "./support/Base.sol";
import {OddDiamond} from "./support/Diamonds.sol";
import {Echo, Forcer, PlainModule, Sender} from "./support/Others.sol";

contract Nft is ERC721("N", "N") {
    function mint(address to, uint256 id) external {
        _mint(to, id);
    }
}

contract Multi is ERC1155("") {
    function mint(address to) external {
        _mint(to, 1, 1, "");
    }
}

contract AccountTest is Base {
    PlainModule private module;
    ModularAccount private wallet;

    function setUp() public override {
        super.setUp();
        module = new PlainModule();
        _install(address(module));
        registry.createAccount(salt);
        wallet = ModularAccount(payable(account));
    }

    /// Golden: test/domain/account.test.ts has the same literals.
    function test_addresses_match_those_that_typescript_computes() public {
        bytes memory code = abi.encodePacked(
            vm.getCode("artifacts/AccountRegistry.json"),
            abi.encode(address(0xA11CE), address(0x60A2D), address(0x4EC0))
        );
        (bool ok, bytes memory made) =
            0x4e59b44847b379578588920cA78FbF26c0B4956C.call(abi.encodePacked(bytes32(0), code));
        AccountRegistry golden = AccountRegistry(address(bytes20(made)));
        require(ok && address(golden) == 0x95Bf6CEd0969149121de86D90bD54D630914bA8a);
        require(golden.implementation() == 0x8e01f359816Fcf335168547aFb7AFcc01fDE821E);
        bytes32 organizationSalt = 0x1111111111111111111111111111111111111111111111111111111111111111;
        bytes32 alice = keccak256(abi.encode("switchyard/eip155/v1", organizationSalt, "alice"));
        require(golden.accountAddress(alice) == 0xB573Bf0f17C13e8cc3adA629083E892Bb6003f37);
        require(golden.createAccount(alice) == 0xB573Bf0f17C13e8cc3adA629083E892Bb6003f37);
        bytes32 face = keccak256(abi.encode("switchyard/eip155/v1", organizationSalt, unicode"😀"));
        require(golden.accountAddress(face) == 0x5550aFd4109DAB53Fb7905bb840c07C22038Da36);
    }

    function test_only_a_module_can_make_an_account_act() public {
        address[6] memory others = [admin, guardian, recovery, relayer, thief, address(registry)];
        for (uint256 i; i < 6; ++i) {
            vm.prank(others[i]);
            vm.expectPartialRevert(ModularAccount.NotExecutor.selector);
            wallet.executeFromExecutor(0, new bytes(52));
        }
        ModularAccount implementation = ModularAccount(payable(registry.implementation()));
        vm.expectPartialRevert(ModularAccount.NotExecutor.selector);
        implementation.executeFromExecutor(0, new bytes(52));
        require(address(implementation.registry()) == address(registry));
    }

    function test_F35_the_account_reports_the_modes_and_modules_that_it_supports() public {
        require(keccak256(bytes(wallet.accountId())) == keccak256("switchyard.account.1.0.0"));
        require(wallet.supportsExecutionMode(0) && wallet.supportsExecutionMode(bytes32(uint256(1) << 248)));
        require(!wallet.supportsExecutionMode(bytes32(uint256(0xff) << 248)) && !wallet.supportsExecutionMode("x"));
        require(wallet.supportsModule(2) && !wallet.supportsModule(1) && !wallet.supportsModule(3));
        require(
            wallet.isModuleInstalled(2, address(executor), "") && !wallet.isModuleInstalled(1, address(executor), "")
        );
        require(!wallet.isModuleInstalled(2, thief, ""));
        require(
            wallet.supportsInterface(0x01ffc9a7) && wallet.supportsInterface(type(IERC7579AccountConfig).interfaceId)
        );
        require(!wallet.supportsInterface(0xffffffff) && !wallet.supportsInterface(0x150b7a02));
        (bool ok,) = account.call(abi.encodeWithSignature("execute(bytes32,bytes)", bytes32(0), ""));
        require(!ok);
        (ok,) = account.call(abi.encodeWithSignature("installModule(uint256,address,bytes)", 2, thief, ""));
        require(!ok);
        vm.expectPartialRevert(ModularAccount.UnsupportedMode.selector);
        module.mode(account, bytes32(uint256(0xff) << 248), abi.encodePacked(thief));
        vm.expectPartialRevert(ModularAccount.UnsupportedMode.selector);
        module.mode(account, bytes32(uint256(1)), abi.encodePacked(thief));
    }

    function testFuzz_an_account_accepts_no_signature(bytes32 hash, bytes calldata signature) public view {
        require(wallet.isValidSignature(hash, signature) == 0xffffffff);
    }

    function test_F22_an_account_copies_at_most_256_bytes_of_a_response() public {
        Echo echo = new Echo();
        uint256[5] memory sizes = [uint256(0), 1, 255, 256, 5000];
        for (uint256 i; i < 5; ++i) {
            uint256 kept = sizes[i] > 256 ? 256 : sizes[i];
            bytes memory data = abi.encodePacked(address(echo), uint256(0), abi.encodeCall(Echo.say, (sizes[i])));
            _equal(module.mode(account, 0, data)[0].length, kept);
            data = abi.encodePacked(address(echo), uint256(0), abi.encodeCall(Echo.fail, (sizes[i])));
            bytes memory reason = new bytes(kept);
            if (kept > 31) reason[31] = 0x01;
            vm.expectRevert(abi.encodeWithSelector(ModularAccount.CallFailed.selector, 0, address(echo), reason));
            module.mode(account, 0, data);
        }
    }

    function test_F22_a_return_bomb_costs_no_more_than_the_targets_own_gas() public {
        usdc.mint(account, 100e6);
        odd.set(OddDiamond.Mode.ReturnBomb, 0);
        _run(_viaOdd("warm", address(usdc), 1e6, 0));
        uint256 small = _gasOf(_viaOdd("small", address(usdc), 1e6, 0));
        odd.set(OddDiamond.Mode.ReturnBomb, 200_000);
        uint256 large = _gasOf(_viaOdd("large", address(usdc), 1e6, 0));
        require(large - small < 110_000); // the target's own use is 95,043
        odd.set(OddDiamond.Mode.RevertBomb, 200_000);
        _refused(_viaOdd("revert", address(usdc), 1e6, 0), ModularAccount.CallFailed.selector);
    }

    function test_F23_coin_arrives_before_and_after_deployment_alike() public {
        Sender sender = new Sender();
        vm.deal(address(sender), 20 ether);
        address payable late = payable(registry.accountAddress("late"));
        for (uint256 i; i < 2; ++i) {
            sender.pay2300(late);
            require(sender.send(late, 1 ether, ""));
            require(sender.send(late, 1 ether, "memo-0001"));
            require(sender.send(late, 1 ether, hex"01"));
            new Forcer{value: 0}(late);
            registry.createAccount("late");
        }
        _equal(late.balance, 8 ether);
        vm.deal(address(this), 1 ether);
        new Forcer{value: 1 ether}(late);
        _equal(late.balance, 9 ether);
        require(!sender.send(late, 0, "memo-0001"));
    }

    function test_F27_the_lock_holds_across_modules() public {
        usdc.mint(account, 100e6);
        bytes memory take = abi.encodeWithSignature("transfer(address,uint256)", thief, 40e6);
        Order memory o =
            _any("a", 40e6, address(module), abi.encodeCall(PlainModule.single, (account, address(usdc), 0, take)));
        bytes memory signature = _sign(executor, o, signerKey);
        vm.prank(relayer);
        vm.expectRevert(
            abi.encodeWithSelector(
                ModularAccount.CallFailed.selector,
                1,
                address(diamond),
                abi.encodeWithSelector(ModularAccount.Reentered.selector)
            )
        );
        executor.execute(o, signature);
        module.single(account, address(usdc), 0, take); // the lock is open again afterwards
        _equal(usdc.balanceOf(thief), 40e6);
    }

    function test_each_account_has_its_own_lock() public {
        address other = registry.createAccount("other");
        usdc.mint(other, 5);
        bytes memory take = abi.encodeWithSignature("transfer(address,uint256)", user, 5);
        bytes memory inner = abi.encodeCall(PlainModule.single, (other, address(usdc), 0, take));
        module.single(account, address(module), 0, inner);
        _equal(usdc.balanceOf(user), 5);
    }

    function test_data_is_never_sent_to_an_address_without_code() public {
        vm.expectPartialRevert(ModularAccount.NoCode.selector);
        module.single(account, thief, 0, "data");
        vm.deal(account, 1 ether);
        module.single(account, user, 1 ether, "");
        _equal(user.balance, 1 ether);
    }

    function test_a_batch_is_all_or_nothing_and_names_the_call_that_failed() public {
        vm.deal(account, 1 ether);
        Execution[] memory calls = new Execution[](3);
        calls[0] = Execution(user, 0.5 ether, "");
        calls[1] = Execution(address(usdc), 0, abi.encodeWithSignature("transfer(address,uint256)", user, 1));
        calls[2] = Execution(user, 0.5 ether, "");
        vm.expectPartialRevert(ModularAccount.CallFailed.selector);
        module.batch(account, calls);
        _equal(user.balance, 0);
        usdc.mint(account, 1);
        module.batch(account, calls);
        _equal(user.balance, 1 ether);
        module.batch(account, new Execution[](0));
    }

    /// Before deployment an NFT can arrive in any way, afterwards only by plain transferFrom. A module recovers it.
    function test_F31_nfts_are_refused_or_can_be_recovered() public {
        Nft nft = new Nft();
        Multi multi = new Multi();
        address later = registry.accountAddress("later");
        nft.mint(user, 1);
        nft.mint(user, 2);
        nft.mint(user, 3);
        multi.mint(user);
        vm.startPrank(user);
        nft.safeTransferFrom(user, later, 1);
        registry.createAccount("later");
        vm.expectRevert();
        nft.safeTransferFrom(user, later, 2);
        vm.expectRevert();
        multi.safeTransferFrom(user, later, 1, 1, "");
        nft.transferFrom(user, later, 3);
        vm.stopPrank();
        for (uint256 id = 1; id < 4; id += 2) {
            bytes memory back = abi.encodeWithSignature("transferFrom(address,address,uint256)", later, user, id);
            module.single(later, address(nft), 0, back);
            require(nft.ownerOf(id) == user);
        }
    }
}
