// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

import {DevBridge} from "../devnet/DevBridge.sol";
import {
    AcrossV4Data,
    BridgeData,
    PolymerCCTPData,
    SendParam,
    StargateData,
    SwapData
} from "../devnet/DiamondCalldata.sol";
import {Intent} from "../src/Order.sol";
import {
    cctpDomain,
    endpointId,
    stargateToken,
    usdc as usdcOf,
    usdt as usdtOf,
    wrappedNative
} from "../src/guards/Assets.sol";
import {IRouteGuard} from "../src/guards/IRouteGuard.sol";
import {Base} from "./support/Base.sol";

/// Compares the table of assets with the issuers' published values, and tests the guards over all of its chain pairs.
contract AssetsTest is Base {
    struct Facts {
        uint256 chainId;
        address usdc;
        address usdt;
        address wrapped;
        uint256 endpoint;
        uint256 domain;
        bool hasEther;
    }

    address private stargateGuard;
    address private polymerGuard;
    address private cctpGuard;

    function setUp() public override {
        super.setUp();
        bytes memory none;
        stargateGuard = vm.deployCode("artifacts/LifiStargateGuard.json", none);
        polymerGuard = vm.deployCode("artifacts/LifiPolymerGuard.json", none);
        cctpGuard = vm.deployCode("artifacts/CctpBurnGuard.json", none);
    }

    /// Circle's and Tether's lists of contracts, the chains' wrapped coins, LayerZero's endpoints and Circle's domains.
    function _facts() private pure returns (Facts[5] memory facts) {
        facts[0] = Facts(
            1,
            0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48,
            0xdAC17F958D2ee523a2206206994597C13D831ec7,
            0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2,
            30101,
            0,
            true
        );
        facts[1] = Facts(
            8453,
            0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913,
            address(0),
            0x4200000000000000000000000000000000000006,
            30184,
            6,
            true
        );
        facts[2] = Facts(
            137,
            0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359,
            0xc2132D05D31c914a87C6611C10748AEb04B58e8F,
            0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270,
            30109,
            7,
            false
        );
        facts[3] = Facts(
            42161,
            0xaf88d065e77c8cC2239327C5EDb3A432268e5831,
            0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9,
            0x82aF49447D8a07e3bd95BD0d56f35241523fBab1,
            30110,
            3,
            true
        );
        facts[4] = Facts(
            43114,
            0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E,
            0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7,
            0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7,
            30106,
            1,
            false
        );
    }

    function test_every_asset_has_its_issuers_address_and_numbers() public pure {
        for (uint256 i; i < 5; ++i) {
            Facts memory chain = _facts()[i];
            require(usdcOf(chain.chainId) == chain.usdc && usdtOf(chain.chainId) == chain.usdt);
            require(wrappedNative(chain.chainId) == chain.wrapped && endpointId(chain.chainId) == chain.endpoint);
            require(cctpDomain(chain.chainId) == chain.domain);
            for (uint256 assetId; assetId < 20; ++assetId) {
                (bool known, address token) = stargateToken(assetId, chain.chainId);
                require(known == (_stargate(assetId, chain) != address(1)));
                if (known) require(token == _stargate(assetId, chain));
            }
        }
        require(usdcOf(10) == address(0) && usdtOf(10) == address(0) && wrappedNative(10) == address(0));
        require(endpointId(10) == 0 && cctpDomain(10) > type(uint32).max);
    }

    /// An address that is never an asset, because zero is the native coin.
    function _stargate(uint256 assetId, Facts memory chain) private pure returns (address) {
        if (assetId == 1) return chain.usdc;
        if (assetId == 2 && chain.usdt != address(0)) return chain.usdt;
        return assetId == 13 && chain.hasEther ? address(0) : address(1);
    }

    /// 5 x 4 pairs and 3 assets: the deployed guard accepts the issuer's token, and only the right chain's number.
    function test_stargate_delivers_between_every_two_chains_that_have_the_asset() public {
        uint8[3] memory assets = [1, 2, 13];
        for (uint256 i; i < 5; ++i) {
            for (uint256 k; k < 5; ++k) {
                for (uint256 n; n < 3 && i != k; ++n) {
                    Facts memory here = _facts()[i];
                    Facts memory there = _facts()[k];
                    (address sent, address got) = (_stargate(assets[n], here), _stargate(assets[n], there));
                    bool carries = sent != address(1) && got != address(1);
                    require(_stargateSays(assets[n], here, there, there.endpoint) == carries);
                    require(!_stargateSays(assets[n], here, there, here.endpoint));
                }
            }
        }
    }

    function _stargateSays(uint16 assetId, Facts memory here, Facts memory there, uint256 endpoint)
        private
        returns (bool)
    {
        vm.chainId(here.chainId);
        (address sent, address got) = (_stargate(assetId, here), _stargate(assetId, there));
        BridgeData memory bridge = _bridgeData(sent, there.chainId);
        StargateData memory data;
        data.assetId = assetId;
        data.sendParams = SendParam(uint32(endpoint), _key(user), 100e6, 99e6, "", "", "");
        data.refundAddress = payable(account);
        bytes memory call = abi.encodeCall(DevBridge.startBridgeTokensViaStargate, (bridge, data));
        Intent memory intent = Intent(there.chainId, got, user, 99e6);
        return IRouteGuard(stargateGuard).check(call, account, sent, 100e6, 0, intent);
    }

    function _bridgeData(address token, uint256 toChainId) private pure returns (BridgeData memory) {
        return BridgeData("id", "tool", "us", address(0), token, user, 100e6, toChainId, false, false);
    }

    function test_across_wraps_the_coin_of_every_chain() public {
        for (uint256 i; i < 5; ++i) {
            for (uint256 k; k < 5; ++k) {
                if (i == k) continue;
                vm.chainId(_facts()[i].chainId);
                Facts memory there = _facts()[k];
                AcrossV4Data memory data;
                data.receiverAddress = _key(user);
                data.refundAddress = _key(account);
                data.receivingAssetId = _key(there.wrapped);
                (data.outputAmount, data.outputAmountMultiplier) = (99e6, 1e18);
                data.fillDeadline = uint32(_now() + 3600);
                bytes memory call = abi.encodeCall(
                    DevBridge.startBridgeTokensViaAcrossV4, (_bridgeData(address(0), there.chainId), data)
                );
                Intent memory intent = Intent(there.chainId, address(0), user, 99e6);
                require(IRouteGuard(bridgeGuard).check(call, account, address(0), 100e6, 0, intent));
            }
        }
    }

    function test_polymer_burns_only_circles_token_of_this_chain() public {
        for (uint256 i; i < 5; ++i) {
            for (uint256 k; k < 5; ++k) {
                if (i == k) continue;
                (Facts memory here, Facts memory there) = (_facts()[i], _facts()[k]);
                vm.chainId(here.chainId);
                require(_polymerSays(here.usdc, there));
                require(!_polymerSays(address(dai), there));
                require(!_polymerSays(there.usdc, there));
            }
        }
    }

    function _polymerSays(address burnt, Facts memory there) private view returns (bool) {
        PolymerCCTPData memory data = PolymerCCTPData(0, 0, 0, 0, 1000, account, "");
        bytes memory call =
            abi.encodeCall(DevBridge.startBridgeTokensViaPolymerCCTP, (_bridgeData(burnt, there.chainId), data));
        Intent memory intent = Intent(there.chainId, there.usdc, user, 99e6);
        return IRouteGuard(polymerGuard).check(call, account, burnt, 100e6, 0, intent);
    }

    /// 5 x 4 pairs: each burns its own USDC to mint the other chain's, with only that chain's domain.
    function test_circle_burns_and_mints_usdc_between_every_two_chains() public {
        for (uint256 i; i < 5; ++i) {
            for (uint256 k; k < 5; ++k) {
                (Facts memory here, Facts memory there) = (_facts()[i], _facts()[k]);
                vm.chainId(here.chainId);
                require(_cctpSays(here.usdc, there, there.domain) == (i != k));
                require(!_cctpSays(here.usdc, there, _facts()[(k + 1) % 5].domain));
                require(!_cctpSays(address(dai), there, there.domain));
                require(i == k || !_cctpSays(there.usdc, there, there.domain));
            }
        }
    }

    function _cctpSays(address burnt, Facts memory there, uint256 domain) private view returns (bool) {
        bytes memory call =
            abi.encodeWithSelector(0x8e0250ee, 100e6, domain, _key(user), burnt, bytes32(0), 1e6, uint256(1000));
        Intent memory intent = Intent(there.chainId, there.usdc, user, 99e6);
        return IRouteGuard(cctpGuard).check(call, account, burnt, 100e6, 0, intent);
    }

    /// The six functions of GenericSwapFacetV3, and no seventh.
    function test_each_of_the_six_swaps_is_admitted() public view {
        bytes4[3] memory single = [bytes4(0x4666fc80), 0x733214a3, 0xaf7060fd];
        bytes4[3] memory multiple = [bytes4(0x5fd9ae2e), 0x2c57e884, 0x736eac0b];
        for (uint256 i; i < 3; ++i) {
            require(_swapSays(single[i], true) && _swapSays(multiple[i], false));
            require(!_swapSays(single[i] ^ 0x00000001, true) && !_swapSays(multiple[i] ^ 0x00000001, false));
        }
    }

    /// The coin's own functions sell the coin, and the others the token.
    function _swapSays(bytes4 selector, bool isSingle) private view returns (bool) {
        bytes4 masked = selector & 0xfffffff0;
        bool sellsCoin = masked == 0xaf7060f0 || masked == 0x736eac00;
        bool buysCoin = masked == 0x73321400 || masked == 0x733214a0 || masked == 0x2c57e880;
        address token = sellsCoin ? address(0) : address(usdc);
        address bought = buysCoin ? address(0) : address(dai);
        SwapData[] memory swaps = new SwapData[](1);
        swaps[0] = SwapData(address(1), address(1), token, bought, 100e6, "some call", true);
        bytes memory data = isSingle
            ? abi.encodeWithSelector(selector, bytes32("q"), "switchyard", "", user, 1, swaps[0])
            : abi.encodeWithSelector(selector, bytes32("q"), "switchyard", "", user, 1, swaps);
        return IRouteGuard(swapGuard).check(data, account, token, 100e6, 0, Intent(block.chainid, bought, user, 1));
    }
}
