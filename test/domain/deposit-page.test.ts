import { expect, test } from 'bun:test'
import {
  colorForm,
  contrastOf,
  inkOn,
  linkMinutes,
  logoCharsMax,
  logoForm,
  usualColor,
} from '../../src/domain/tenant/deposit-page'

test('colours have the contrast of WCAG 2.2', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21, 10)
  expect(contrastOf('#ffffff', '#000000')).toBeCloseTo(21, 10)
  expect(contrastOf('#777777', '#ffffff')).toBeCloseTo(4.478, 3)
  expect(contrastOf('#ff0000', '#ffffff')).toBeCloseTo(3.998, 3)
  expect(contrastOf('#00ff00', '#ffffff')).toBeCloseTo(1.372, 3)
  expect(contrastOf('#0000ff', '#ffffff')).toBeCloseTo(8.592, 3)
  expect(contrastOf('#0a0a0a', '#ffffff')).toBeCloseTo(19.798, 3) // below the linear part
})

test('text on a colour is black or white, the more legible one', () => {
  expect(['#ffffff', '#000000', usualColor, '#ffff00'].map(inkOn)).toEqual(['#000000', '#ffffff', '#ffffff', '#000000'])
  expect(contrastOf(usualColor, inkOn(usualColor))).toBeGreaterThan(4.5)
})

test('a colour has six digits, and a logo is a small PNG', () => {
  expect(['#3b5bdb', '#3B5BDB', '#3b5bd', '#3b5bdb0', 'x#3b5bdb'].map((each) => colorForm.test(each))).toEqual([
    ...[true, false, false, false, false],
  ])
  const logo = (text: string) => logoForm.test(text)
  const png = 'data:image/png;base64,iVBORw0KGgoA'
  expect([logo(png), logo(`${png}=`), logo(`${png}==`), logo(`${png}===`), logo(`x${png}`)]).toEqual([
    ...[true, true, true, false, false],
  ])
  expect([logo(png.replace('png', 'svg')), logo(png.replace('iVBOR', 'PHN2Z')), logo(`${png}\n`)]).toEqual([
    ...[false, false, false],
  ])
  const long = (count: number) => logo(`data:image/png;base64,iVBORw0KGgo${'A'.repeat(count)}`)
  expect([long(0), long(logoCharsMax), long(logoCharsMax + 1), logoCharsMax]).toEqual([false, true, false, 12_000])
  expect(linkMinutes).toEqual({ least: 5, usual: 60, most: 1_440 })
})
