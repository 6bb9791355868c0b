import { expect, test } from 'bun:test'
import { streamMessages } from '../../src/domain/server-sent-events'

test('a message is read once its last line has arrived, however the stream is cut', () => {
  const text = 'event: deposit.detected\nid: e1\ndata: {"a":1}\n\nid:e2\r\ndata:  two\r\n\r\n'
  const all = [
    { event: 'deposit.detected', data: '{"a":1}', id: 'e1' },
    { event: 'message', data: ' two', id: 'e2' },
  ]
  expect(streamMessages()(text)).toEqual(all)
  for (let cut = 1; cut < text.length - 3; cut++) {
    const read = streamMessages()
    const first = read(text.slice(0, cut))
    expect([cut, [...first, ...read(text.slice(cut))]]).toEqual([cut, all])
  }
  const read = streamMessages()
  expect([read('data: x\n'), read('\n'), read('')]).toEqual([[], [{ event: 'message', data: 'x', id: null }], []])
})

test('comments and the time to wait are no messages, and an id alone is one', () => {
  expect(streamMessages()('retry: 3000\n\n: still here\n\nevent: x\n\nid: e3\n\n')).toEqual([
    { event: 'message', data: '', id: 'e3' },
  ])
  expect(streamMessages()('x-id: no\ndata: yes\n\n')).toEqual([{ event: 'message', data: 'yes', id: null }])
})
