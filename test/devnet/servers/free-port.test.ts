import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { freePort } from '../../../src/devnet/servers/free-port'

test('a free port is returned once, outside the range that the system uses for connections', async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()))
  expect(new Set(ports).size).toBe(ports.length)
  if (process.platform !== 'linux') return
  const least = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0])
  expect(Math.max(...ports)).toBeLessThan(least)
})
