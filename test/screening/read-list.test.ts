import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { ListRefused, readList } from '../../src/screening/read-list'

const one = '0x8576aCC5C05D6Ce88f4e49bf65BdF0C62F91353C'
const two = '0xd90e2f925DA726b50C4Ed8D0Fb90Ad053324F31b'
const bitcoin = '12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h'

const sdn = `<?xml version="1.0"?><sdnList xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/XML">
<sdnEntry><uid>1</uid><idList><id><idType>Digital Currency Address - XBT</idType><idNumber>${bitcoin}</idNumber></id>
<id><idType>Digital Currency Address - ETH</idType><idNumber>${one}</idNumber></id>
<id><idType>Passport</idType><idNumber>A123</idNumber></id></idList></sdnEntry></sdnList>`

const advanced = `<Sanctions xmlns="https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/ADVANCED_XML">
<Feature FeatureTypeID="887"><FeatureVersion><VersionDetail DetailTypeID="1432">${two}</VersionDetail></FeatureVersion></Feature>
</Sanctions>
`

test('the SDN list of the US Treasury is read in both of its forms, and applies on every chain', () => {
  const [plain, full] = [readList(sdn), readList(advanced)]
  expect(plain).toMatchObject({
    format: 'OFAC_XML',
    listed: [{ kind: 'ADDRESS', chainId: null, listedAs: 'SANCTIONED' }],
  })
  expect(plain.listed[0]!.address).toBe(one.toLowerCase())
  expect(full.listed.map(({ address }) => address)).toEqual([two.toLowerCase()])
})

test('a truncated list is refused, because it would free everyone after the cut', () => {
  for (const text of [sdn, advanced, JSON.stringify([one, two])])
    for (const share of [0.3, 0.6, 0.95])
      expect(() => readList(text.slice(0, Math.floor(text.length * share)))).toThrow(ListRefused)
})

test('extracted lists are an array or lines, and addresses of other chains in them are ignored', () => {
  for (const text of [JSON.stringify([one, bitcoin, two]), `# a list\n${one}\r\n\n${bitcoin}\n${two}\n`]) {
    const { format, listed, ignored } = readList(text)
    expect({ format, ignored }).toEqual({ format: 'ADDRESSES', ignored: 1 })
    expect(listed.map(({ address }) => address)).toEqual([one.toLowerCase(), two.toLowerCase()])
  }
})

test('a token list is accepted only with the reason why its tokens are bad', () => {
  const list = JSON.stringify({
    name: 'Unsupported',
    version: { major: 1, minor: 0, patch: 0 },
    tokens: [
      { chainId: 8453, address: one, symbol: 'BAD', decimals: 18 },
      { chainId: 56, address: two, symbol: 'ELSEWHERE', decimals: 18 },
    ],
  })
  expect(() => readList(list)).toThrow('--as')
  expect(readList(list, { listedAs: 'SCAM' })).toMatchObject({
    format: 'TOKEN_LIST',
    ignored: 1,
    listed: [{ kind: 'TOKEN', chainId: 8453, address: one.toLowerCase(), listedAs: 'SCAM' }],
  })
})

test('only theft indicators of GoPlus count: a token that can list addresses is no thief, and trust takes precedence', () => {
  const answer = (facts: object) => JSON.stringify({ code: 1, message: 'OK', result: { [one.toLowerCase()]: facts } })
  const isListed = (facts: object) => readList(answer(facts), { chainId: 8453 }).listed.length === 1
  expect(isListed({ is_honeypot: '1' })).toBe(true)
  expect(isListed({ is_true_token: '0' })).toBe(true)
  expect(isListed({ sell_tax: '1' })).toBe(true)
  expect(isListed({ sell_tax: '0.05', is_blacklisted: '1', transfer_pausable: '1' })).toBe(false)
  expect(isListed({ is_honeypot: '1', trust_list: '1' })).toBe(false)
  expect(() => readList(answer({}))).toThrow('--chain')
  expect(() => readList(JSON.stringify({ code: 4029, message: 'too many', result: null }))).toThrow(ListRefused)
})

test('entries in our own format are accepted all together or not at all', () => {
  const good = { kind: 'TOKEN', chainId: 137, address: one, listedAs: 'MALICIOUS', reason: 'It steals' }
  expect(readList(JSON.stringify({ entries: [good] })).listed).toEqual([
    { ...good, address: one.toLowerCase() } as never,
  ])
  for (const bad of [{ kind: 'X' }, { chainId: 5 }, { address: '0x1' }, { listedAs: 'ALLOWED' }, { reason: 1 }])
    expect(() => readList(JSON.stringify({ entries: [good, { ...good, ...bad }] }))).toThrow('Entry 1')
})

test('any other file content is refused or parsed, never trusted', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.string().map((text) => `<a>${text}`),
      ),
      (text) => {
        try {
          for (const { address } of readList(text).listed) expect(address).toMatch(/^0x[0-9a-f]{40}$/)
        } catch (error) {
          expect(error).toBeInstanceOf(ListRefused)
        }
      },
    ),
  )
})
