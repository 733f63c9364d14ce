import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { AppError } from '../kernel/app-error.ts'
import { openLog } from '../kernel/log.ts'
import { say } from '../kernel/sentence.ts'
import { answered } from './failures.ts'

async function told(error: unknown) {
  let full = 0
  const context = { log: openLog('silent'), onStorageFull: () => full++ }
  const thrown: unknown = await answered(context, () => Promise.reject(error)).catch((e: unknown) => e)
  const { code, message } = thrown as ProtocolError
  return { code, message, full }
}

test('what a client is told of a failure', async () => {
  const wrong = new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no tool x.')
  expect(await told(wrong)).toEqual({ code: ProtocolErrorCode.InvalidParams, message: wrong.message, full: 0 })
  const refused = new AppError('run_active', say`A run is active.`)
  expect(await told(refused)).toEqual({ code: ProtocolErrorCode.InvalidRequest, message: 'A run is active.', full: 0 })
  const internal = { code: ProtocolErrorCode.InternalError, message: 'Internal error' }
  expect(await told(new Error('select * from secret'))).toEqual({ ...internal, full: 0 })
  expect(await told(new AppError('internal', say`The inside.`))).toEqual({ ...internal, full: 0 })
  expect(await told(Object.assign(new Error('write /var/lib'), { code: 'ENOSPC' }))).toEqual({ ...internal, full: 1 })
})
