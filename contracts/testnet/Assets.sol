// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Addresses and numbers of tokens and chains on the test networks; replaces src/guards/Assets.sol there. Zero: none.
/// Tether exists on none of them. No chain is in both files.

function usdc(uint256 chainId) pure returns (address) {
    if (chainId == 11155111) return 0x1c7D4B196Cb0C7B01d743Fbc6116a902379C7238;
    if (chainId == 84532) return 0x036CbD53842c5426634e7929541eC2318f3dCF7e;
    if (chainId == 80002) return 0x41E94Eb019C0762f9Bfcf9Fb1E58725BfB0e7582;
    if (chainId == 421614) return 0x75faf114eafb1BDbe2F0316DF893fd58CE46AA4d;
    if (chainId == 43113) return 0x5425890298aed601595a70AB815c96711a31Bc65;
    return address(0);
}

function usdt(uint256) pure returns (address) {
    return address(0);
}

function wrappedNative(uint256 chainId) pure returns (address) {
    if (chainId == 11155111) return 0xfFf9976782d46CC05630D1f6eBAb18b2324d6B14;
    if (chainId == 84532) return 0x4200000000000000000000000000000000000006;
    if (chainId == 80002) return 0x0ae690AAD8663aaB12a671A6A0d74242332de85f;
    if (chainId == 421614) return 0x980B62Da83eFf3D4576C647993b0c1D7faf17c73;
    if (chainId == 43113) return 0xd00ae08403B9bbb9124bB305C09058E32C39A48c;
    return address(0);
}

// Relay's name of its solver's chain, hashed.
bytes32 constant RELAY_SOLVER_CHAIN = keccak256("base-sepolia");

/// Relay's name of a chain, hashed. Zero for an unsupported chain.
function relayName(uint256 chainId) pure returns (bytes32) {
    if (chainId == 11155111) return keccak256("sepolia");
    if (chainId == 84532) return keccak256("base-sepolia");
    if (chainId == 80002) return keccak256("amoy");
    if (chainId == 421614) return keccak256("arbitrum-sepolia");
    if (chainId == 43113) return keccak256("avalanche-fuji");
    return 0;
}

/// LayerZero's number of a chain.
function endpointId(uint256 chainId) pure returns (uint256) {
    if (chainId == 11155111) return 40161;
    if (chainId == 84532) return 40245;
    if (chainId == 80002) return 40267;
    if (chainId == 421614) return 40231;
    if (chainId == 43113) return 40106;
    return 0;
}

/// Circle's number of a chain. For any other chain, a number that does not fit into the four bytes of a domain.
function cctpDomain(uint256 chainId) pure returns (uint256) {
    if (chainId == 11155111) return 0;
    if (chainId == 84532) return 6;
    if (chainId == 80002) return 7;
    if (chainId == 421614) return 3;
    if (chainId == 43113) return 1;
    return type(uint256).max;
}

/// The asset of a token on any chain, by Stargate's numbers: 1 USDC, 2 USDT, 13 ETH and wrapped ETH; 0 if unknown. An
/// asset has the same decimals on all these chains, so its amounts compare directly.
function assetOf(uint256 chainId, address token) pure returns (uint256) {
    if (token != address(0)) {
        if (token == usdc(chainId)) return 1;
        if (token == usdt(chainId)) return 2;
        if (token != wrappedNative(chainId)) return 0;
    }
    return chainId == 11155111 || chainId == 84532 || chainId == 421614 ? 13 : 0;
}

/// The token of a Stargate asset on a chain. The native coin's token is zero, so `known` is a separate value.
function stargateToken(uint256 assetId, uint256 chainId) pure returns (bool known, address token) {
    if (assetId == 13) return (chainId == 11155111 || chainId == 84532 || chainId == 421614, address(0));
    if (assetId == 1) token = usdc(chainId);
    if (assetId == 2) token = usdt(chainId);
    known = token != address(0);
}
