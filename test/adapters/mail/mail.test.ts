import { afterEach, expect, test } from 'bun:test'
import { createServer, type Server, type Socket } from 'node:net'
import { mail } from '../../../src/adapters/mail/mail'
import { EmailRejected } from '../../../src/domain/tenant/email-rejected'
import { openPostbox } from '../../dashboard/sign-in/postbox'
import { testAll } from '../../support/test-all'

const email = { to: 'ann@example.test', subject: 'Hello', text: 'It works.' }
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

test('an e-mail arrives', async () => {
  const postbox = await openPostbox()
  await mail(postbox.url, 'us@example.test')(email)
  expect((await postbox.emailTo('ann@example.test')).text).toContain('It works.')
  await postbox.close()
})

test('a silent or very slow server delays an e-mail no longer than the timeout', async () => {
  const silent = await serverThat(() => {})
  const dripping = await serverThat((socket) => {
    const timer = setInterval(() => socket.write('2'), 10)
    socket.on('close', () => clearInterval(timer))
  })
  for (const url of [silent, dripping]) await expect(mail(url, 'us@example.test', 200)(email)).rejects.toThrow()
})

/** Answers each line as a mail server does, and the recipient with a number. */
const answers = (recipient: string) => (socket: Socket) => {
  socket.write('220 here\r\n')
  socket.on('data', (line) => {
    const verb = line.toString().slice(0, 4).toUpperCase()
    if (verb === 'RCPT' && recipient === '') return
    socket.write(`${verb === 'RCPT' ? recipient : '250 yes'}\r\n`)
  })
}

testAll([
  ['for ever', '550 no such reader', true],
  ['for now', '451 later', false],
])('an e-mail refused permanently or temporarily counts as undelivered', async (_, answer, isForEver) => {
  const error = await mail(await serverThat(answers(answer)), 'us@example.test')(email).catch((each) => each)
  expect(error).toBeInstanceOf(EmailRejected)
  expect(error.isForEver).toBe(isForEver)
})

test('an e-mail to a server that falls silent has an unknown outcome', async () => {
  const error = await mail(await serverThat(answers('')), 'us@example.test', 200)(email).catch((each) => each)
  expect(error).not.toBeInstanceOf(EmailRejected)
})

test('an e-mail that could not be sent delays no later one', async () => {
  const postbox = await openPostbox()
  const { port } = new URL(postbox.url)
  await postbox.close()
  const send = mail(postbox.url, 'us@example.test')
  await expect(send(email)).rejects.toThrow()
  const again = await openPostbox(Number(port))
  await send(email)
  expect(again.emails).toHaveLength(1)
  await again.close()
})
