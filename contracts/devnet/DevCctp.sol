// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface IMintBurnToken {
    function transferFrom(address from, address to, uint256 value) external returns (bool);
    function burn(uint256 value) external;
    function mint(address to, uint256 value) external;
}

/// The stand-in for Circle's MessageTransmitterV2, at the same address: its messages, events, nonces and refusals.
/// `initialize` takes the settings that Circle's owner can change later.
contract DevMessageTransmitter {
    uint32 public constant version = 1;
    uint32 public localDomain;
    address[] public attesters;
    bool public paused;
    mapping(bytes32 nonce => uint256) public usedNonces;

    event MessageSent(bytes message);
    event MessageReceived(
        address indexed caller,
        uint32 sourceDomain,
        bytes32 indexed nonce,
        bytes32 sender,
        uint32 indexed finalityThresholdExecuted,
        bytes messageBody
    );

    /// Every attester must sign a message, in the order of their addresses.
    function initialize(uint32 localDomain_, address[] calldata attesters_) external {
        require(attesters.length == 0 && attesters_.length != 0, "Initialized");
        (localDomain, attesters) = (localDomain_, attesters_);
        usedNonces[0] = 1;
    }

    /// Pauses or resumes, as Circle's pauser can. Anyone may call it on the devnet.
    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function sendMessage(
        uint32 destinationDomain,
        bytes32 recipient,
        bytes32 destinationCaller,
        uint32 minFinalityThreshold,
        bytes calldata messageBody
    ) external {
        require(!paused, "Pausable: paused");
        require(destinationDomain != localDomain, "Domain is local domain");
        require(recipient != 0, "Recipient must be nonzero");
        bytes32 sender = bytes32(uint256(uint160(msg.sender)));
        // Circle's attestation fills in the nonce and the executed finality.
        bytes memory head = abi.encodePacked(version, localDomain, destinationDomain, bytes32(0), sender, recipient);
        emit MessageSent(bytes.concat(head, destinationCaller, bytes4(minFinalityThreshold), bytes4(0), messageBody));
    }

    function receiveMessage(bytes calldata message, bytes calldata attestation) external returns (bool) {
        require(!paused, "Pausable: paused");
        _verify(message, attestation);
        require(message.length >= 148, "Invalid message: too short");
        require(_uint32(message, 8) == localDomain, "Invalid destination domain");
        bytes32 caller = bytes32(message[108:140]);
        require(caller == 0 || caller == bytes32(uint256(uint160(msg.sender))), "Invalid caller for message");
        require(_uint32(message, 0) == version, "Invalid message version");
        bytes32 nonce = bytes32(message[12:44]);
        require(usedNonces[nonce] == 0, "Nonce already used");
        usedNonces[nonce] = 1;
        _handle(message);
        emit MessageReceived(
            msg.sender,
            _uint32(message, 4),
            nonce,
            bytes32(message[44:76]),
            _uint32(message, 144),
            message[148:]
        );
        return true;
    }

    function _handle(bytes calldata message) private {
        DevTokenMessenger handler = DevTokenMessenger(address(uint160(uint256(bytes32(message[76:108])))));
        (uint32 source, uint32 executed) = (_uint32(message, 4), _uint32(message, 144));
        bytes32 sender = bytes32(message[44:76]);
        if (executed < 2000) handler.handleReceiveUnfinalizedMessage(source, sender, executed, message[148:]);
        else handler.handleReceiveFinalizedMessage(source, sender, executed, message[148:]);
    }

    function _verify(bytes calldata message, bytes calldata attestation) private view {
        require(attestation.length == 65 * attesters.length, "Invalid attestation length");
        bytes32 digest = keccak256(message);
        address latest;
        for (uint256 i; i < attesters.length; ++i) {
            bytes calldata signature = attestation[i * 65:i * 65 + 65];
            address signer =
                ecrecover(digest, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
            require(signer > latest, "Invalid signature order or dupe");
            require(_isAttester(signer), "Invalid signature: not attester");
            latest = signer;
        }
    }

    function _isAttester(address signer) private view returns (bool) {
        for (uint256 i; i < attesters.length; ++i) {
            if (attesters[i] == signer) return true;
        }
        return false;
    }

    function _uint32(bytes calldata data, uint256 start) private pure returns (uint32) {
        return uint32(bytes4(data[start:start + 4]));
    }
}

/// The values that clients read from Circle's TokenMinterV2, at its address. DevTokenMessenger mints and burns.
contract DevTokenMinter {
    DevTokenMessenger public localTokenMessenger;
    bool public paused;

    function initialize(DevTokenMessenger messenger) external {
        require(address(localTokenMessenger) == address(0), "Initialized");
        localTokenMessenger = messenger;
    }

    /// Pauses or resumes, as Circle's pauser can. Anyone may call it on the devnet.
    function setPaused(bool paused_) external {
        paused = paused_;
    }

    function burnLimitsPerMessage(address token) external view returns (uint256) {
        return token == address(localTokenMessenger.token()) ? localTokenMessenger.burnLimit() : 0;
    }
}

/// The stand-in for Circle's TokenMessengerV2, at its address. It also mints and burns, as TokenMinterV2 does.
contract DevTokenMessenger {
    struct Burn {
        uint256 amount;
        uint32 destinationDomain;
        bytes32 mintRecipient;
        address burnToken;
        bytes32 destinationCaller;
        uint256 maxFee;
        uint32 minFinalityThreshold;
    }

    struct Remote {
        uint32 domain;
        address messenger;
        address burnToken;
    }

    uint32 public constant messageBodyVersion = 1;
    DevMessageTransmitter public localMessageTransmitter;
    IMintBurnToken public token;
    address public feeRecipient;
    /// Minimum fee of a burn, in thousandths of a basis point.
    uint256 public minFee;
    uint256 public burnLimit;
    /// Its pause stops minting and burning. Zero if none is set, which means no pause.
    DevTokenMinter public localMinter;
    mapping(address account => bool) public isDenylisted;
    mapping(uint32 domain => bytes32) public remoteTokenMessengers;
    mapping(uint32 domain => bytes32) public remoteTokens;

    event DepositForBurn(
        address indexed burnToken,
        uint256 amount,
        address indexed depositor,
        bytes32 mintRecipient,
        uint32 destinationDomain,
        bytes32 destinationTokenMessenger,
        bytes32 destinationCaller,
        uint256 maxFee,
        uint32 indexed minFinalityThreshold,
        bytes hookData
    );
    event MintAndWithdraw(
        address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected
    );

    function initialize(
        DevMessageTransmitter transmitter,
        IMintBurnToken token_,
        address feeRecipient_,
        Remote[] calldata remotes
    ) external {
        require(address(localMessageTransmitter) == address(0), "Initialized");
        (localMessageTransmitter, token, feeRecipient) = (transmitter, token_, feeRecipient_);
        burnLimit = 10_000_000e6;
        for (uint256 i; i < remotes.length; ++i) {
            remoteTokenMessengers[remotes[i].domain] = bytes32(uint256(uint160(remotes[i].messenger)));
            remoteTokens[remotes[i].domain] = bytes32(uint256(uint160(remotes[i].burnToken)));
        }
    }

    /// Sets the minimum fee, as Circle's controller can. Anyone may call it on the devnet.
    function setMinFee(uint256 minFee_) external {
        minFee = minFee_;
    }

    function setBurnLimit(uint256 burnLimit_) external {
        burnLimit = burnLimit_;
    }

    function setLocalMinter(DevTokenMinter minter) external {
        localMinter = minter;
    }

    function setDenylisted(address account, bool isDenylisted_) external {
        isDenylisted[account] = isDenylisted_;
    }

    function depositForBurn(uint256, uint32, bytes32, address, bytes32, uint256, uint32) external {
        require(!isDenylisted[msg.sender] && !isDenylisted[tx.origin], "Denylistable: account is on denylist");
        _burn(abi.decode(msg.data[4:], (Burn)));
    }

    function _burn(Burn memory burn) private {
        require(burn.amount > 0, "Amount must be nonzero");
        require(burn.mintRecipient != 0, "Mint recipient must be nonzero");
        require(burn.maxFee < burn.amount, "Max fee must be less than amount");
        uint256 least = minFee == 0 ? 0 : burn.amount * minFee / 10_000_000;
        require(minFee == 0 || burn.maxFee >= (least == 0 ? 1 : least), "Insufficient max fee");
        bytes32 messenger = remoteTokenMessengers[burn.destinationDomain];
        require(messenger != 0, "No TokenMessenger for domain");
        require(burn.burnToken == address(token), "Burn token not supported");
        _assureMinterRuns();
        require(burn.amount <= burnLimit, "Burn amount exceeds per tx limit");
        require(token.transferFrom(msg.sender, address(this), burn.amount), "Transfer operation failed");
        token.burn(burn.amount);
        localMessageTransmitter.sendMessage(
            burn.destinationDomain, messenger, burn.destinationCaller, burn.minFinalityThreshold, _body(burn)
        );
        emit DepositForBurn(
            burn.burnToken,
            burn.amount,
            msg.sender,
            burn.mintRecipient,
            burn.destinationDomain,
            messenger,
            burn.destinationCaller,
            burn.maxFee,
            burn.minFinalityThreshold,
            ""
        );
    }

    function _assureMinterRuns() private view {
        require(address(localMinter) == address(0) || !localMinter.paused(), "Pausable: paused");
    }

    /// A burn message without a hook. Circle's attestation fills in the fee taken and the block of expiry.
    function _body(Burn memory burn) private view returns (bytes memory) {
        bytes32 burnt = bytes32(uint256(uint160(address(token))));
        bytes32 sender = bytes32(uint256(uint160(msg.sender)));
        bytes memory head = abi.encodePacked(messageBodyVersion, burnt, burn.mintRecipient, burn.amount, sender);
        return bytes.concat(head, abi.encode(burn.maxFee, 0, 0));
    }

    function handleReceiveFinalizedMessage(uint32 source, bytes32 sender, uint32, bytes calldata body)
        external
        returns (bool)
    {
        return _mint(source, sender, body);
    }

    function handleReceiveUnfinalizedMessage(uint32 source, bytes32 sender, uint32 executed, bytes calldata body)
        external
        returns (bool)
    {
        require(executed >= 500, "Unsupported finality threshold");
        return _mint(source, sender, body);
    }

    function _mint(uint32 source, bytes32 sender, bytes calldata body) private returns (bool) {
        require(msg.sender == address(localMessageTransmitter), "Invalid message transmitter");
        require(sender != 0 && remoteTokenMessengers[source] == sender, "Remote TokenMessenger unsupported");
        require(body.length >= 228, "Invalid burn message: too short");
        require(uint32(bytes4(body[0:4])) == messageBodyVersion, "Invalid message body version");
        uint256 expiration = uint256(bytes32(body[196:228]));
        require(expiration == 0 || expiration > block.number, "Message expired and must be re-signed");
        (uint256 amount, uint256 fee) = (uint256(bytes32(body[68:100])), uint256(bytes32(body[164:196])));
        require(fee == 0 || fee < amount, "Fee equals or exceeds amount");
        require(fee <= uint256(bytes32(body[132:164])), "Fee exceeds max fee");
        require(bytes32(body[4:36]) == remoteTokens[source], "Mint token not supported");
        _assureMinterRuns();
        address recipient = address(uint160(uint256(bytes32(body[36:68]))));
        token.mint(recipient, amount - fee);
        if (fee > 0) token.mint(feeRecipient, fee);
        emit MintAndWithdraw(recipient, amount - fee, address(token), fee);
        return true;
    }
}
