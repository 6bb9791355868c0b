import { Observable } from 'rxjs'
import { type Pointer, pointersText, wakeMessageId, wakeText } from '../../src/domain/wake-messages'
import type { Pointers, Wake, Wakes } from '../../src/ports/wakes'

type Message = { text: string; redeliveries: number }

/** A queue whose messages are acknowledged one by one. A refused message is redelivered immediately. */
function queue() {
  const messages: Message[] = []
  const answers: string[] = []
  let deliver = () => {}

  const put = (message: Message) => {
    messages.push(message)
    deliver()
  }

  const taken = (concurrency: number): Observable<Wake> =>
    new Observable((subscriber) => {
      let inHand = 0
      const wakeOf = ({ text, redeliveries }: Message): Wake => {
        let isAnswered = false
        const answer = (verdict: string, comesBack: boolean) => {
          if (isAnswered) return
          isAnswered = true
          inHand -= 1
          answers.push(`${text} ${verdict}`)
          if (comesBack) messages.push({ text, redeliveries: redeliveries + 1 })
          queueMicrotask(() => deliver())
        }
        return {
          data: new TextEncoder().encode(text),
          redeliveries,
          ack: () => answer('ack', false),
          nak: () => answer('nak', true),
          term: () => answer('term', false),
        }
      }
      deliver = () => {
        while (!subscriber.closed && inHand < concurrency && messages.length > 0) {
          inHand += 1
          subscriber.next(wakeOf(messages.shift()!))
        }
      }
      deliver()
    })

  return { put, taken, messages, answers }
}

/** @param now clock for deduplication. */
export function wakesInMemory(now: () => number = () => 0, dedupeMs = 15_000) {
  const messages = queue()
  const sentAt = new Map<string, number>()
  const port: Wakes = {
    async wake(owed) {
      const messageId = wakeMessageId(owed)
      if (now() - (sentAt.get(messageId) ?? -Infinity) < dedupeMs) return
      sentAt.set(messageId, now())
      messages.put({ text: wakeText({ ...owed, isImmediate: false }), redeliveries: 0 })
    },
    async wakeNow({ id, isDue = false }) {
      messages.put({ text: wakeText({ id, isImmediate: !isDue }), redeliveries: 0 })
    },
    wakes: messages.taken,
    isDelivering: () => true,
  }
  return { ...port, messages: messages.messages, answers: messages.answers }
}

export function pointersInMemory() {
  const kept = queue()
  const port: Pointers = {
    async publish(pointers: Pointer[]) {
      for (const pointer of pointers) kept.put({ text: pointersText([pointer]), redeliveries: 0 })
    },
    pointers: kept.taken,
  }
  return { ...port, messages: kept.messages, answers: kept.answers }
}
