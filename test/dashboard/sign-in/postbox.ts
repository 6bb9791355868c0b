import { createServer, type Socket } from 'node:net'
import { until } from '../../support/until'

export type Email = { from: string; to: string[]; text: string }

/**
 * A mail server that only stores its e-mails (RFC 5321, without encryption).
 *
 * @param options.password requires a sign-in with this password. Without it, no sign-in is requested.
 */
export async function openPostbox(port = 0, { password }: { password?: string } = {}) {
  const emails: Email[] = []
  const server = createServer((socket) => receive(socket, password ?? null, (email) => void emails.push(email)))
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    emails,
    url: `smtp://127.0.0.1:${(server.address() as { port: number }).port}`,
    emailTo: (address: string): Promise<Email> =>
      until(`an e-mail to ${address}`, (note) => note(emails).find(({ to }) => to.includes(address))),
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

function receive(socket: Socket, password: string | null, keep: (email: Email) => void): void {
  let [email, rest, isData]: [Email, string, boolean] = [{ from: '', to: [], text: '' }, '', false]
  const say = (line: string) => socket.write(`${line}\r\n`)
  const obey = (line: string): void => {
    const address = /<([^>]*)>/.exec(line)?.[1] ?? ''
    const verb = line.slice(0, 4).toUpperCase()
    if (verb === 'EHLO' && password !== null) return void say('250-postbox\r\n250 AUTH PLAIN')
    if (verb === 'AUTH') {
      const shown = Buffer.from(line.split(' ')[2] ?? '', 'base64')
        .toString()
        .split('\0')[2]
      return void say(shown === password ? '235 welcome' : '535 not you')
    }
    if (verb === 'MAIL') email = { from: address, to: [], text: '' }
    if (verb === 'RCPT') email.to.push(address)
    if (verb === 'DATA') isData = true
    say(verb === 'DATA' ? '354 go on' : verb === 'QUIT' ? '221 bye' : '250 ok')
    if (verb === 'QUIT') socket.end()
  }
  socket.on('error', () => {})
  socket.on('data', (bytes) => {
    rest += bytes.toString()
    const lines = rest.split('\r\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (!isData) obey(line)
      else if (line !== '.') email.text += `${line}\n`
      else {
        isData = false
        // Long lines are broken by "=" at their end, and "=" itself is written "=3D".
        keep({ ...email, text: email.text.replace(/=\n/g, '').replace(/=3D/g, '=') })
        say('250 kept')
      }
    }
  })
  say('220 postbox')
}
