import type { Holders } from '../../src/domain/account'
import type { Address, Hash } from '../../src/domain/hex'

// Golden: a user's address never changes. The first lines stand in contracts/test/Account.t.sol too.
export const holders: Holders = {
  admin: '0x00000000000000000000000000000000000a11ce',
  guardian: '0x0000000000000000000000000000000000060a2d',
  recovery: '0x0000000000000000000000000000000000004ec0',
}
export const registry: Address = '0xb2B13D935964bC91E47288b81D8656BBd94cb021'
export const implementation: Address = '0x794BD9af7298f1092aE7C18C85a187D538D00EFe'
export const one: Hash = `0x${'11'.repeat(32)}`
export const two: Hash = `0x${'22'.repeat(32)}`

export const golden: [Hash, string, Hash, Address][] = [
  [
    one,
    'alice',
    '0xb219e49b1c385fd1da36cb1c65c5983d7f0154ca9309672cc55d37dc9a7201ca',
    '0xb7e5c734a5522f4C7415Ba884DBd575FeEf635F1',
  ],
  [
    one,
    'user-42',
    '0xcb293c0ed4e1f1a5df97b5ac07c9b85350dee09ef09d2bf7b98c6c68786d5ec3',
    '0x5d789dF965428aCbdc5C2FC7C7f8392C29fdc26E',
  ],
  [
    one,
    'a@b.example',
    '0x597213d908cc612989b35e2e517f99f137b2fbc4a4e50eba3ac4711bbd4464b8',
    '0x4d14e84321B2628965E1b77d1576E8f0165AcB16',
  ],
  [
    one,
    'Zoë',
    '0xb3ce8d13d0a2a882b3053ee1c3082da7877a24589983398d38ed839369842acd',
    '0x6cBF76c26EB659a05D084De476149Ad534216252',
  ],
  [
    one,
    'ユーザー',
    '0x60e10bbc188186dbe872b25fe38e502ad8da1a713347711b2bbcce11d837caf2',
    '0xE473cB6795ed07b23f20F4423C7d1b46F2C6B224',
  ],
  [
    one,
    '😀',
    '0x2bc48bdc3c6d3cf6b1dd053071bc56f173bdef413253504f4db632306447a90b',
    '0xe2C10FFC02a6e93788e69C76a874C0b77cE8C82a',
  ],
  [
    one,
    'x'.repeat(256),
    '0x36922f0240920ae27e9b5b0f2bd0c5a1b320911f403bf9abb3542fc0279966c7',
    '0x26cC23DeCf358ABd4Bc9F3D2daaC993bef49F579',
  ],
  [
    two,
    'alice',
    '0x9a51d9f45d1b709212063bab495a73636c8eb3331981321889977b9f11249269',
    '0x76E5b353A2D049309a5FE3Ad2dAebbEc0ac1982e',
  ],
  [
    two,
    'Zoë',
    '0x561df8d7fbce674fd2ba5cfa9ecf9f9217f727c9d7464240712f8c040c99cc2e',
    '0x8A0AE7F285bE14f374F606D49E9f5292B56938B5',
  ],
  [
    two,
    '😀',
    '0x7d325a113f83ca03a016939df5b359cc188294558023a00e70f2f625ebbed334',
    '0x578856824F73083c7F76E49C44dF83E57bDa87c1',
  ],
]
