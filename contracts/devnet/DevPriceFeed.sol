// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// What clients use of a Chainlink AggregatorV3Interface. As old as it is told to be, always.
contract DevPriceFeed {
    uint8 public constant decimals = 8;
    string public description;
    int256 public answer;
    uint256 public ageSeconds;

    function initialize(string calldata description_, int256 answer_) external {
        (description, answer) = (description_, answer_);
    }

    function setAnswer(int256 answer_) external {
        answer = answer_;
    }

    function setAge(uint256 ageSeconds_) external {
        ageSeconds = ageSeconds_;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        uint256 updatedAt = block.timestamp - ageSeconds;
        return (1, answer, updatedAt, updatedAt, 1);
    }
}
