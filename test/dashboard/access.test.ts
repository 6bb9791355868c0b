import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { countArrivals } from '../../src/dashboard/access/arrivals'
import { refusedField } from '../../src/dashboard/access/refused-field'
import { typedOption } from '../../src/dashboard/access/selects'
import { unusedColors, withoutUnused } from '../../src/http/dashboard/pages/pages'

const url = { name: '', label: 'URL' }
const reason = { name: '', label: 'Reason' }
const email = { name: 'email', label: 'E-mail' }
const days = { name: 'endsInDays', label: 'Expires' }

test('a refusal belongs to the field that is the subject of its sentence', () => {
  expect(refusedField('Url must be an https:// URL.', [email, url])).toBe(url)
  expect(refusedField('Reason must be 3 to 500 characters, none a control character.', [url, reason])).toBe(reason)
  expect(refusedField('EndsInDays must be at most 365 (was 900).', [url, days])).toBe(days)
  expect(refusedField('Terms.endsInDays must be a number.', [url, days])).toBe(days)
})

test('otherwise it belongs to the field with the longest label in the sentence', () => {
  const [label, user] = [
    { name: '', label: 'Label' },
    { name: '', label: 'User label' },
  ]
  expect(refusedField('There is another key with this label.', [url, label])).toBe(label)
  expect(refusedField('There is another user label of this name.', [label, user])).toBe(user)
  const password = { name: 'password', label: 'Password' }
  expect(refusedField('The e-mail or the password is wrong.', [email, password])).toBe(password)
  const recipient = { name: 'targetAddress', label: 'Recipient' }
  expect(refusedField('Invalid target address.', [user, recipient])).toBe(recipient)
})

test('a refusal that names no field belongs to none', () => {
  expect(refusedField('The server cannot be reached. Check your connection.', [url, reason, email])).toBeNull()
  expect(refusedField('The server answered 500.', [])).toBeNull()
  expect(refusedField('Curl is wrong.', [url, { name: '', label: '' }])).toBeNull()
})

const chains = ['Arbitrum', 'Avalanche', 'Base', 'BNB Chain', 'Ethereum']

test('typed letters choose the option that begins with them, in any case', () => {
  expect(typedOption('e', chains, -1)).toBe(4)
  expect(typedOption('Av', chains, -1)).toBe(1)
  expect(typedOption('bnb c', chains, 0)).toBe(3)
  expect(typedOption('ARB', chains, 4)).toBe(0)
  expect(typedOption('x', chains, 2)).toBe(-1)
  expect(typedOption('a', [], -1)).toBe(-1)
  expect(typedOption('', chains, 0)).toBe(-1)
})

test('one letter, also pressed again, steps through the options that begin with it', () => {
  expect(typedOption('a', chains, 0)).toBe(1)
  expect(typedOption('a', chains, 1)).toBe(0)
  expect(typedOption('aa', chains, 0)).toBe(1)
  expect(typedOption('b', chains, 2)).toBe(3)
})

const event = (type: string, id: string) => ({ type, data: { id } }) as never

test('arrivals of some seconds are one sentence with counts', () => {
  const arrivals = countArrivals()
  arrivals.add([event('deposit.detected', 'a'), event('deposit.detected', 'b')])
  arrivals.add([event('deposit.detected', 'c'), event('execution.dead_letter', 'd')])
  expect(arrivals.sentence()).toBe('3 deposits arrived, 1 failed.')
  expect(arrivals.sentence()).toBeNull()
  arrivals.add([event('execution.success', 'a')])
  expect(arrivals.sentence()).toBe('1 deposit delivered.')
  arrivals.add([event('execution.success', 'b'), event('execution.failed_no_funds', 'c')])
  expect(arrivals.sentence()).toBe('1 deposit delivered, 1 failed.')
  arrivals.add([event('execution.token_blacklisted', 'c'), event('execution.dead_letter', 'd')])
  expect(arrivals.sentence()).toBe('2 deposits failed.')
})

test('an event that comes twice, a step and an attempt that will be repeated are not announced', () => {
  const arrivals = countArrivals()
  expect(arrivals.add([event('execution.moved', 'a'), event('execution.failed', 'a')])).toBe(false)
  expect(arrivals.add([event('deposit.confirmed', 'a'), event('execution.running', 'a')])).toBe(false)
  expect(arrivals.sentence()).toBeNull()
  arrivals.add([event('deposit.detected', 'a'), event('deposit.detected', 'a')])
  expect(arrivals.sentence()).toBe('1 deposit arrived.')
})

const under = `${import.meta.dir}/../../src/dashboard`
const sources = await Promise.all(
  [...new Glob('**/*.{ts,tsx,css}').scanSync(under)].map(async (path) => ({
    path,
    text: await Bun.file(`${under}/${path}`).text(),
  })),
)

test('the style sheet leaves out colours that no page names, and only those', () => {
  const css = ':root{--mantine-color-lime-0:#fff;--mantine-color-red-0:#fee;--mantine-color-pink-light:var(--x)}a{b:c}'
  expect(withoutUnused(css)).toBe(':root{--mantine-color-red-0:#fee;}a{b:c}')
  const naming = new RegExp(`(['"\`]|mantine-color-)(${unusedColors.join('|')})(['"\`.-])`)
  expect(sources.filter(({ text }) => naming.test(text)).map(({ path }) => path)).toEqual([])
})

test('the style sheet leaves out rules for old browsers and for languages from right to left', () => {
  const [webkit, moz, is] = [':-webkit-any(', ':-moz-any(', ':is('].map((any) => `${any}:lang(ae),:lang(ar))`)
  const kept = `.a:not(${is}){left:0}@media (width>1px){.d{e:f}}`
  const css = `.a:not(${webkit}){left:0}.a:not(${moz}){left:0}${kept}@media (width>1px){.b${is}{right:0}.c{d:e}}`
  expect(withoutUnused(css)).toBe(`${kept}@media (width>1px){.c{d:e}}`)
})

test('no hash, address or id is read letter by letter: each is a Hash', () => {
  const bare = /className="[^"]*mono[^"]*"[^>]*>\s*\{(?:short|shortId)\(/
  const spoken = /title=\{(?:row\.id|\w*Hash|\w*[aA]ddress|executionId|depositId|eventId)\}/
  const isBare = ({ path, text }: { path: string; text: string }) =>
    path !== 'ui/hash.tsx' && (bare.test(text) || spoken.test(text))
  expect(sources.filter(isBare).map(({ path }) => path)).toEqual([])
})

test('only these regions speak by themselves: the toast, the incidents, the shown state, and answers to forms', () => {
  const live = sources.filter(({ text }) => /aria-live="(?:polite|assertive)"/.test(text)).map(({ path }) => path)
  const states = ['pages/deposit/deposit.tsx', 'pages/execution/headline.tsx']
  expect(live.toSorted()).toEqual(['incidents/incidents.tsx', ...states, 'ui/toast.tsx'])
})

test('a time in full is never only in a title, which a keyboard and a touch screen do not reach', async () => {
  const files = [...new Glob('src/dashboard/**/*.tsx').scanSync('.')].filter((path) => !path.endsWith('ui/time.tsx'))
  const texts = await Promise.all(files.map(async (path) => ({ path, text: await Bun.file(path).text() })))
  const apart = texts.filter(({ text }) => /title=\{exact\(|<time\b/.test(text)).map(({ path }) => path)
  expect(apart).toEqual([])
})
