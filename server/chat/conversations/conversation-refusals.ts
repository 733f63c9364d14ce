import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'

/** Somebody else goes on with a copy: nothing is added to it any more. */
export function handedOver(): AppError {
  return new AppError(
    'handed_over',
    say`This conversation was handed over. It can be read, exported and deleted, but not continued.`,
  )
}

export function noConversation(): AppError {
  return new AppError('not_found', say`There is no such conversation.`)
}
