import { afterEach, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { mail } from '../../../src/adapters/mail/mail'
import { openPostbox } from '../../dashboard/sign-in/postbox'

const letter = { to: 'ann@example.test', subject: 'Hello', text: 'It works.' }
const open: { server: Server; sockets: Socket[] }[] = []
afterEach(() => {
  for (const { server, sockets } of open.splice(0)) {
    for (const socket of sockets) socket.destroy()
    server.close()
  }
})

/** A mail server that does this with each connection. */
async function serverThat(act: (socket: Socket) => void): Promise<string> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    act(socket)
  })
  open.push({ server, sockets })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `smtp://127.0.0.1:${(server.address() as { port: number }).port}`
}

test('a letter arrives', async () => {
  const postbox = await openPostbox()
  await mail(postbox.url, 'us@example.test')(letter)
  expect((await postbox.letterTo('ann@example.test')).text).toContain('It works.')
  await postbox.close()
})

test('a server that says nothing, or that drips, holds a letter up for no longer than the bound', async () => {
  const silent = await serverThat(() => {})
  const dripping = await serverThat((socket) => {
    const timer = setInterval(() => socket.write('2'), 10)
    socket.on('close', () => clearInterval(timer))
  })
  for (const url of [silent, dripping]) await expect(mail(url, 'us@example.test', 200)(letter)).rejects.toThrow()
})

test('a letter that could not be sent holds up no later one', async () => {
  const postbox = await openPostbox()
  const { port } = new URL(postbox.url)
  await postbox.close()
  const send = mail(postbox.url, 'us@example.test')
  await expect(send(letter)).rejects.toThrow()
  const again = await openPostbox(Number(port))
  await send(letter)
  expect(again.letters).toHaveLength(1)
  await again.close()
})
