// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// Addresses and numbers of tokens and chains on Ethereum, Base, Polygon, Arbitrum and Avalanche. Zero: none.

function usdc(uint256 chainId) pure returns (address) {
    if (chainId == 1) return 0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48;
    if (chainId == 8453) return 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913;
    if (chainId == 137) return 0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359;
    if (chainId == 42161) return 0xaf88d065e77c8cC2239327C5EDb3A432268e5831;
    if (chainId == 43114) return 0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E;
    return address(0);
}

function usdt(uint256 chainId) pure returns (address) {
    if (chainId == 1) return 0xdAC17F958D2ee523a2206206994597C13D831ec7;
    if (chainId == 137) return 0xc2132D05D31c914a87C6611C10748AEb04B58e8F;
    if (chainId == 42161) return 0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9;
    if (chainId == 43114) return 0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7;
    return address(0);
}

function wrappedNative(uint256 chainId) pure returns (address) {
    if (chainId == 1) return 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2;
    if (chainId == 8453) return 0x4200000000000000000000000000000000000006;
    if (chainId == 137) return 0x0d500B1d8E8eF31E21C99d1Db9A6444d3ADf1270;
    if (chainId == 42161) return 0x82aF49447D8a07e3bd95BD0d56f35241523fBab1;
    if (chainId == 43114) return 0xB31f66AA3C1e785363F0875A1B74E27b85FD66c7;
    return address(0);
}

// The chain of Relay's solver by Relay's name of it, hashed.
bytes32 constant RELAY_SOLVER_CHAIN = keccak256("base");

/// Relay's name of a chain, hashed. Zero for an unsupported chain.
function relayName(uint256 chainId) pure returns (bytes32) {
    if (chainId == 1) return keccak256("ethereum");
    if (chainId == 8453) return keccak256("base");
    if (chainId == 137) return keccak256("polygon");
    if (chainId == 42161) return keccak256("arbitrum");
    if (chainId == 43114) return keccak256("avalanche");
    return 0;
}

/// LayerZero's number of a chain.
function endpointId(uint256 chainId) pure returns (uint256) {
    if (chainId == 1) return 30101;
    if (chainId == 8453) return 30184;
    if (chainId == 137) return 30109;
    if (chainId == 42161) return 30110;
    if (chainId == 43114) return 30106;
    return 0;
}

/// Circle's number of a chain. For any other chain, a number that does not fit into the four bytes of a domain.
function cctpDomain(uint256 chainId) pure returns (uint256) {
    if (chainId == 1) return 0;
    if (chainId == 8453) return 6;
    if (chainId == 137) return 7;
    if (chainId == 42161) return 3;
    if (chainId == 43114) return 1;
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
    return chainId == 1 || chainId == 8453 || chainId == 42161 ? 13 : 0;
}

/// The token of a Stargate asset on a chain. The native coin's token is zero, so `known` is a separate value.
function stargateToken(uint256 assetId, uint256 chainId) pure returns (bool known, address token) {
    if (assetId == 13) return (chainId == 1 || chainId == 8453 || chainId == 42161, address(0));
    if (assetId == 1) token = usdc(chainId);
    if (assetId == 2) token = usdt(chainId);
    known = token != address(0);
}
