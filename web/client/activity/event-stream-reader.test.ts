import { expect, test } from 'vitest'
import { createEventStreamReader } from './event-stream-reader.ts'

const stream =
  ': hello\n\nid: 7\nevent: run.delta\ndata: {"a":1}\n\n: heartbeat\n\nevent: snapshot\r\ndata: one\r\ndata:two\r\n\r\nid: 8\ndata: cut'

test('reads events, joins data lines, skips comments and keeps an unfinished event for later', () => {
  const read = createEventStreamReader()
  expect(read(stream)).toEqual([
    { id: '7', event: 'run.delta', data: '{"a":1}' },
    { id: null, event: 'snapshot', data: 'one\ntwo' },
  ])
  expect(read(' off\n\n')).toEqual([{ id: '8', event: 'message', data: 'cut off' }])
})

test('gives the same events wherever the stream is cut', () => {
  const whole = createEventStreamReader()(stream + '\n\n')
  const read = createEventStreamReader()
  expect([...(stream + '\n\n')].flatMap((character) => read(character))).toEqual(whole)
})
