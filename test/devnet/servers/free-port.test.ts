import { expect, test } from 'bun:test'
import { freePort, portsForServers } from '../../../src/devnet/servers/free-port'

test('a free port is returned once, from those for servers', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()))
  expect(new Set(ports).size).toBe(ports.length)
  const [least, end] = portsForServers()
  expect(Math.min(...ports)).toBeGreaterThanOrEqual(least)
  expect(Math.max(...ports)).toBeLessThan(end)
})

test('ports for servers are below those that the system assigns to connections, if it leaves enough', () => {
  expect(portsForServers(32_768)).toEqual([12_000, 32_000])
  expect(portsForServers(20_000)).toEqual([12_000, 20_000])
  expect(portsForServers(1_024)).toEqual([12_000, 32_000])
})
