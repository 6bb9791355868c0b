import type { Holders } from '../../src/domain/chain/account'
import type { Address, Hash } from '../../src/domain/chain/hex'

// Golden values: a user's address never changes. contracts/test/Account.t.sol has the first lines too.
export const holders: Holders = {
  admin: '0x00000000000000000000000000000000000a11ce',
  guardian: '0x0000000000000000000000000000000000060a2d',
  recovery: '0x0000000000000000000000000000000000004ec0',
}
export const registry: Address = '0x95Bf6CEd0969149121de86D90bD54D630914bA8a'
export const implementation: Address = '0x8e01f359816Fcf335168547aFb7AFcc01fDE821E'
export const one: Hash = `0x${'11'.repeat(32)}`
export const two: Hash = `0x${'22'.repeat(32)}`

export const golden: [Hash, string, Hash, Address][] = [
  [
    one,
    'alice',
    '0xb219e49b1c385fd1da36cb1c65c5983d7f0154ca9309672cc55d37dc9a7201ca',
    '0xB573Bf0f17C13e8cc3adA629083E892Bb6003f37',
  ],
  [
    one,
    'user-42',
    '0xcb293c0ed4e1f1a5df97b5ac07c9b85350dee09ef09d2bf7b98c6c68786d5ec3',
    '0xde8f5EcFB832abA842Cb290cf2f3C71b27806Eb6',
  ],
  [
    one,
    'a@b.example',
    '0x597213d908cc612989b35e2e517f99f137b2fbc4a4e50eba3ac4711bbd4464b8',
    '0x8146CB003840b0E44a02C9B886879e85ddDeD324',
  ],
  [
    one,
    'Zoë',
    '0xb3ce8d13d0a2a882b3053ee1c3082da7877a24589983398d38ed839369842acd',
    '0xe3FcFA3E53Bb45dEae277504CB7EA44F945383c6',
  ],
  [
    one,
    'ユーザー',
    '0x60e10bbc188186dbe872b25fe38e502ad8da1a713347711b2bbcce11d837caf2',
    '0xD9a0CF84809dE91140f1f079E5B2DB8AB3cE7D50',
  ],
  [
    one,
    '😀',
    '0x2bc48bdc3c6d3cf6b1dd053071bc56f173bdef413253504f4db632306447a90b',
    '0x5550aFd4109DAB53Fb7905bb840c07C22038Da36',
  ],
  [
    one,
    'x'.repeat(256),
    '0x36922f0240920ae27e9b5b0f2bd0c5a1b320911f403bf9abb3542fc0279966c7',
    '0x4B138e39cd2e941d681efC843e42234057067625',
  ],
  [
    two,
    'alice',
    '0x9a51d9f45d1b709212063bab495a73636c8eb3331981321889977b9f11249269',
    '0xa40fEb2A23D5E3C35e419a81D4D6f88E8BEd9d50',
  ],
  [
    two,
    'Zoë',
    '0x561df8d7fbce674fd2ba5cfa9ecf9f9217f727c9d7464240712f8c040c99cc2e',
    '0xfCC7d6F6295b26C66278AD33184a8EaE4364984B',
  ],
  [
    two,
    '😀',
    '0x7d325a113f83ca03a016939df5b359cc188294558023a00e70f2f625ebbed334',
    '0x0dEDAdA22fdc1FF8a3d207A808818A9BdAe80d8a',
  ],
]
