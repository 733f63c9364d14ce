import type { Handover } from '../../../contract/handovers.ts'
import { AppError } from '../../kernel/app-error.ts'
import { say } from '../../kernel/sentence.ts'

/** Why an offer cannot be answered any more. */
export function handoverClosed(status: Handover['status']): AppError {
  switch (status) {
    case 'accepted':
      return new AppError('handover_closed', say`This conversation has already been taken over.`)
    case 'declined':
      return new AppError('handover_closed', say`This offer was declined.`)
    case 'withdrawn':
      return new AppError('handover_closed', say`This offer was withdrawn.`)
    case 'expired':
      return new AppError('handover_closed', say`This offer has expired.`)
    case 'offered':
      return new AppError('handover_closed', say`This offer has just changed. Look at it again.`)
  }
}
