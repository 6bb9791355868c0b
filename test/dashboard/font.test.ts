import { expect, test } from 'bun:test'
import { builtPages } from '../../src/http/dashboard/pages/pages'
import { letters, makeInter, servedFont } from './inter'

test('the served font is built from Inter’s package by the script beside this test, to the byte', async () => {
  const served = await Bun.file(servedFont).bytes()
  expect(Buffer.compare(await makeInter(), served)).toBe(0)
  expect(served.length).toBeLessThan(32 * 1024)
})

test('the font has every letter of Latin-1 and Latin Extended-A', () => {
  for (const name of ['Zoë Müller', 'Señor Ñuñez', 'Søren Åse', 'Łódź', 'Škoda', 'Ünal Şahin', 'Söhne & Groß'])
    expect([...name].filter((letter) => !letters.includes(letter))).toEqual([])
})

test('the style sheet requests the font under its served name', async () => {
  const { files } = await builtPages()()
  const sheets = [...files].filter(([name]) => name.endsWith('.css'))
  const asked = sheets.flatMap(([, { raw }]) => new TextDecoder().decode(raw).match(/\/app\/inter[^")]+/g) ?? [])
  expect(asked).toHaveLength(1)
  expect(files.has(asked[0]!.replace('/app/', ''))).toBe(true)
})
