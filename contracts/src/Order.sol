// SPDX-License-Identifier: UNLICENSED
pragma solidity 0.8.37;

/// The integrator's intent: the minimum of `tokenOut` that `recipient` gets on `toChainId`.
struct Intent {
    uint256 toChainId;
    address tokenOut;
    address recipient;
    uint256 minOut;
}

/// The struct that the signer signs, EIP-712 domain ("Switchyard", "1", chainId, executor). Token address(0) is the
/// native coin.
struct Order {
    bytes32 routeId; // spent once per account and chain
    bytes32 accountSalt;
    uint8 kind; // 1 pay here, 2 swap here, 3 bridge
    address token;
    uint256 amountIn; // the most that may leave the account, fees included
    uint256 minSpent; // the least that must leave it; below the amount only if a bridge leaves dust
    uint256 protocolFee;
    uint256 gasFee;
    address collector; // gets both fees
    Intent intent;
    address target; // kinds 2 and 3: the contract that the account calls
    address spender; // the address approved for exactly the amount; zero for the native coin
    uint256 nativeFee; // extra coin, sent along by the relayer
    uint256 minGas; // gas that the relayer must leave at the start
    uint64 deadline; // at most one hour ahead
    bytes data;
}

bytes32 constant INTENT_TYPEHASH =
    keccak256("Intent(uint256 toChainId,address tokenOut,address recipient,uint256 minOut)");

bytes32 constant ORDER_TYPEHASH = keccak256(
    "Order(bytes32 routeId,bytes32 accountSalt,uint8 kind,address token,uint256 amountIn,uint256 minSpent,uint256 protocolFee,uint256 gasFee,address collector,Intent intent,address target,address spender,uint256 nativeFee,uint256 minGas,uint64 deadline,bytes data)Intent(uint256 toChainId,address tokenOut,address recipient,uint256 minOut)"
);

function orderHash(Order calldata order) pure returns (bytes32) {
    Intent calldata intent = order.intent;
    bytes memory head = abi.encode(
        ORDER_TYPEHASH,
        order.routeId,
        order.accountSalt,
        order.kind,
        order.token,
        order.amountIn,
        order.minSpent,
        order.protocolFee,
        order.gasFee,
        order.collector,
        keccak256(abi.encode(INTENT_TYPEHASH, intent))
    );
    bytes memory tail =
        abi.encode(order.target, order.spender, order.nativeFee, order.minGas, order.deadline, keccak256(order.data));
    return keccak256(bytes.concat(head, tail));
}
