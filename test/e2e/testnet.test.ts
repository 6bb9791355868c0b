import { expect } from 'bun:test'
import { nightly } from '../support/depth'
import { mongoUrl } from '../support/servers'
import { temporaryFolder } from '../support/temporary-folder'

nightly(
  'the whole service runs on five chains with the ids, tokens, guards and keys of the test networks',
  async () => {
    const folder = temporaryFolder('testnet')
    const child = Bun.spawn([process.execPath, 'src/cli/main.ts', 'demo', '--port', '0'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        NETWORK: 'testnet',
        SWITCHYARD_DIR: folder,
        MONGODB_URL: await mongoUrl(),
      },
      stdout: 'pipe',
      stderr: 'pipe',
    })
    try {
      let said = ''
      for await (const bytes of child.stdout) {
        said += new TextDecoder().decode(bytes)
        if (/^Trouble .*\n/m.test(said)) break
      }
      expect(said.match(/✓ .*: SUCCESS, /g), said).toHaveLength(6)
      expect(said).toMatch(/^Deposit +NETWORK=testnet SWITCHYARD_DIR=\S+ npx switchyard deposit/m)
      expect(said).toMatch(/^Trouble +NETWORK=testnet /m)
      const { apiUrl, keys } = await Bun.file(`${folder}/devnet.json`).json()
      expect(keys.client).toMatch(/^sy_test_/)
      const ask = async (path: string) => (await fetch(apiUrl + path, { headers: { 'x-api-key': keys.client } })).json()
      const chains = await ask('/api/chains')
      expect(chains.map(({ chainId }: { chainId: number }) => chainId).toSorted()).toEqual(
        [84532, 11155111, 80002, 421614, 43113].toSorted(),
      )
      const { components } = await ask('/docs/json')
      expect(JSON.stringify(components.schemas.SupportedChainId)).toContain('11155111')
    } finally {
      child.kill('SIGINT')
      await child.exited
    }
  },
)
