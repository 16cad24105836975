// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20} from "@openzeppelin/contracts/token/ERC20/ERC20.sol";
import {ERC3009} from "@openzeppelin/contracts/token/ERC20/extensions/draft-ERC3009.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";

/// A well-behaved ERC-20, as OpenZeppelin makes them. Anybody may mint.
contract TestToken is ERC20 {
    uint8 private immutable _digits;

    constructor(string memory symbol, uint8 digits) ERC20(symbol, symbol) {
        _digits = digits;
    }

    function decimals() public view virtual override returns (uint8) {
        return _digits;
    }

    function mint(address to, uint256 amount) external {
        _mint(to, amount);
    }
}

/// Keeps a tenth of every transfer.
contract FeeToken is TestToken {
    constructor(string memory symbol, uint8 digits) TestToken(symbol, digits) {}

    function _update(address from, address to, uint256 amount) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, amount);
        super._update(from, address(this), amount / 10);
        super._update(from, to, amount - amount / 10);
    }
}

/// Answers false instead of reverting, moves nothing and says nothing: the oldest kind of fake deposit.
contract FalseToken is TestToken {
    constructor(string memory symbol, uint8 digits) TestToken(symbol, digits) {}

    function transfer(address, uint256) public pure override returns (bool) {
        return false;
    }
}

/// Says that it has transferred what it has not. Its logs have the right words and the wrong address.
contract Liar {
    event Transfer(address indexed from, address indexed to, uint256 value);

    function transfer(address to, uint256 amount) external returns (bool) {
        emit Transfer(msg.sender, to, amount);
        return true;
    }
}

/// Passes on what it is sent, as contract wallets do.
contract Passer {
    function pass(address payable to) external payable {
        (bool done, ) = to.call{value: msg.value}("");
        require(done, "not taken");
    }

    /// The sender must have approved it.
    function passToken(ERC20 token, address to, uint256 amount) external {
        token.transferFrom(msg.sender, to, amount);
    }
}

/// Takes nothing.
contract Refuser {}

/// Burns gas when it is paid, as a hostile wallet may. An estimate has no price, so it can show less there.
contract Burner {
    uint256 private immutable _estimated;
    uint256 private immutable _burned;

    constructor(uint256 estimated, uint256 burned) {
        _estimated = estimated;
        _burned = burned;
    }

    receive() external payable {
        uint256 goal = tx.gasprice == 0 ? _estimated : _burned;
        uint256 start = gasleft();
        while (start - gasleft() < goal) {}
    }
}

/// Moves by its owners' signatures (EIP-3009), and says how they sign (EIP-5267).
contract SignedToken is TestToken, ERC3009 {
    constructor(string memory symbol, uint8 digits) TestToken(symbol, digits) EIP712("Signed Coin", "2") {}

    function decimals() public view override(ERC20, TestToken) returns (uint8) {
        return super.decimals();
    }
}

/// The same as USDC has it: older than EIP-5267, so name and version stand by themselves beside the hash that counts.
contract OlderSignedToken is SignedToken {
    string public version;

    constructor(string memory said) SignedToken("USDC", 6) {
        version = said;
    }

    function name() public pure override returns (string memory) {
        return "Signed Coin";
    }

    function eip712Domain()
        public
        pure
        override
        returns (bytes1, string memory, string memory, uint256, address, bytes32, uint256[] memory)
    {
        revert();
    }

    function DOMAIN_SEPARATOR() external view returns (bytes32) {
        return _domainSeparatorV4();
    }
}

/// Keeps a tenth of every transfer that is signed, too.
contract SignedFeeToken is SignedToken {
    constructor(string memory symbol, uint8 digits) SignedToken(symbol, digits) {}

    function _update(address from, address to, uint256 amount) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, amount);
        super._update(from, address(this), amount / 10);
        super._update(from, to, amount - amount / 10);
    }
}
