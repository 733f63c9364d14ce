import { expect, test } from 'vitest'
import { StorageAway } from '../kernel/storage-failure.ts'
import { failureSentence } from './failure-sentence.ts'

test('a database that goes away during the start is a sentence, not a stack', () => {
  const cause = new Error('Connection terminated unexpectedly')
  expect(failureSentence(new StorageAway('The database does not answer.', { cause }))).toBe(
    'The database does not answer. Start again once it does. (Connection terminated unexpectedly)',
  )
  expect(failureSentence(new Error('a fault of the program'))).toBeNull()
})
