// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// The part of Chainlink's AggregatorV3Interface that clients use, behind its proxy. The last answer always has the
/// configured age; earlier rounds are one heartbeat apart.
contract DevPriceFeed {
    uint8 public constant decimals = 8;
    string public description;
    int256 public answer;
    uint256 public ageSeconds;
    uint256 private _heartbeatSeconds;

    function initialize(string calldata description_, int256 answer_) external {
        (description, answer) = (description_, answer_);
    }

    function setAnswer(int256 answer_) external {
        answer = answer_;
    }

    function setAge(uint256 ageSeconds_) external {
        ageSeconds = ageSeconds_;
    }

    function setHeartbeat(uint256 heartbeatSeconds_) external {
        _heartbeatSeconds = heartbeatSeconds_;
    }

    function heartbeatSeconds() public view returns (uint256) {
        return _heartbeatSeconds == 0 ? 1 hours : _heartbeatSeconds;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        return getRoundData(_latestRound());
    }

    function getRoundData(uint80 roundId) public view returns (uint80, int256, uint256, uint256, uint80) {
        uint80 latest = _latestRound();
        require(roundId >> 64 == 1 && roundId <= latest, "No data present");
        uint256 updatedAt = block.timestamp - ageSeconds - (latest - roundId) * heartbeatSeconds();
        return (roundId, answer, updatedAt, updatedAt, roundId);
    }

    /// A round id: the aggregator's phase in the upper bits, then the aggregator's own round number.
    function _latestRound() private view returns (uint80) {
        return uint80((1 << 64) + (block.timestamp - ageSeconds) / heartbeatSeconds());
    }
}
