import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { encryptKeystore } from '@ethersproject/json-wallets'
import { privateKeyToAddress } from 'viem/accounts'
import { loadConfig } from '../../src/app/config/config'
import { keysInKeystore } from '../../src/app/config/keystore'
import { serviceVariables } from '../support/service-variables'
import { temporaryFolder } from '../support/temporary-folder'

/** The test vector of the Web3 Secret Storage Definition, with its password. */
const key = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
const password = 'testpassword'
const byPbkdf2 = {
  crypto: {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
    ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
    kdf: 'pbkdf2',
    kdfparams: {
      c: 262_144,
      dklen: 32,
      prf: 'hmac-sha256',
      salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
    },
    mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
  },
  id: '3198bc9c-6672-5ab3-d995-4942343ae5b6',
  version: 3,
}
const folder = temporaryFolder('keystore')
const fileWith = (name: string, content: string): string => {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function read(changed: Record<string, string>) {
  const { ROUTE_SIGNER_PRIVATE_KEY: _, RELAYER_PRIVATE_KEYS: __, ...rest } = serviceVariables
  const plain = { ROUTE_SIGNER_PRIVATE_KEY: `0x${'5'.repeat(64)}`, RELAYER_PRIVATE_KEYS: `0x${'6'.repeat(64)}` }
  const taken = Object.fromEntries(Object.entries(plain).filter(([name]) => !(`${name}_FILE` in changed)))
  return loadConfig({ ...rest, ...taken, ...changed })
}

test('a PBKDF2 keystore opens as its definition requires', () => {
  expect(keysInKeystore(JSON.stringify(byPbkdf2), password)).toEqual([key])
})

test('a scrypt keystore written by another library opens, and so does a list of them', async () => {
  const account = { privateKey: key, address: privateKeyToAddress(key) }
  const written = await encryptKeystore(account, password, { scrypt: { N: 8_192 } })
  expect(keysInKeystore(written, password)).toEqual([key])
  expect(keysInKeystore(`[${written},${JSON.stringify(byPbkdf2)}]`, password)).toEqual([key, key])
})

test('a wrong password, another version or a broken text opens nothing and reveals nothing', () => {
  const opening =
    (text: string, given = password) =>
    () =>
      keysInKeystore(text, given)
  expect(opening(JSON.stringify(byPbkdf2), 'hunter2')).toThrow('the file with the password of the keystore')
  expect(opening(JSON.stringify({ ...byPbkdf2, version: 4 }))).toThrow('a keystore of version 3')
  expect(opening('{"crypto":')).toThrow('a keystore in JSON')
  const kdfparams = { dklen: 32, n: 4_194_304, r: 8, p: 1, salt: 'aa' }
  const vast = { ...byPbkdf2, crypto: { ...byPbkdf2.crypto, kdf: 'scrypt', kdfparams } }
  expect(opening(JSON.stringify(vast))).toThrow('usual settings')
})

test('every variable can be read from a file, and keys from keystores with their password in another file', () => {
  const passwordPath = fileWith('password', `${password}\n`)
  const { keys, secrets } = read({
    ROUTE_SIGNER_PRIVATE_KEY_FILE: fileWith('signer.json', JSON.stringify(byPbkdf2)),
    ROUTE_SIGNER_PRIVATE_KEY_PASSWORD_FILE: passwordPath,
    RELAYER_PRIVATE_KEYS_FILE: fileWith('relayers', ` 0x${'7'.repeat(64)},0x${'8'.repeat(64)}\n`),
    LIFI_API_KEY_FILE: fileWith('lifi', 'lifi-key\n'),
  })
  expect(keys).toMatchObject({ routeSigner: key, relayers: [`0x${'7'.repeat(64)}`, `0x${'8'.repeat(64)}`] })
  expect(secrets.lifiApiKey).toBe('lifi-key')
})

test('a missing file, a variable beside its file and a keystore without its password are reported by name', () => {
  const signer = fileWith('signer.json', JSON.stringify(byPbkdf2))
  const name = 'ROUTE_SIGNER_PRIVATE_KEY_FILE'
  expect(() => read({ [name]: '/no/such/file' })).toThrow(`${name} must be the path of a file`)
  expect(() => read({ LIFI_API_KEY: 'a', LIFI_API_KEY_FILE: signer })).toThrow('LIFI_API_KEY must be left out')
  expect(() => read({ [name]: signer })).toThrow('ROUTE_SIGNER_PRIVATE_KEY_PASSWORD_FILE must be the path of the file')
  const wrong = { [name]: signer, ROUTE_SIGNER_PRIVATE_KEY_PASSWORD_FILE: fileWith('wrong', 'hunter2') }
  expect(() => read(wrong)).toThrow('ROUTE_SIGNER_PRIVATE_KEY_PASSWORD_FILE must be the file with the password')
  expect(() => read(wrong)).not.toThrow('hunter2')
})

test('a process opens only the files of the keys that its roles need', () => {
  const { keys, misplaced } = read({ ROLES: 'api', ROUTE_SIGNER_PRIVATE_KEY_FILE: '/no/such/file' })
  expect(keys.routeSigner).toBeNull()
  expect(misplaced).toContain('ROUTE_SIGNER_PRIVATE_KEY')
})
