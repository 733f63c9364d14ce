import { say } from '../kernel/sentence.ts'
import type { Message } from './send/message.ts'
import { newId } from '../kernel/id.ts'

/** A message that somebody has just asked for, to see whether it arrives. */
export function testMessage(language: string, address: string): Message {
  return {
    id: newId('outbox'),
    title: say`A test from Reeve`.in(language),
    lines: [say`If you can read this, messages arrive here.`.in(language)],
    link: new URL('/', address).href,
    data: { type: 'reeve.test', approvals: [] },
  }
}

/** The code that proves that a person reads what arrives at an address. */
export function codeMessage(code: string, language: string): Message {
  const spaced = `${code.slice(0, 3)} ${code.slice(3)}`
  return {
    id: newId('outbox'),
    title: say`${spaced} is your code for Reeve`.in(language),
    lines: [
      say`Enter the code ${spaced} under Account, and messages that something waits for you will come here.`.in(
        language,
      ),
      say`It counts for 30 minutes. If you did not ask for it, ignore this message.`.in(language),
    ],
    link: null,
    data: { type: 'reeve.code', approvals: [] },
  }
}
