import type { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import type { HostLog } from '../spec/host-log.ts'
import type { ModuleLink } from '../spec/module-link.ts'
import { openModuleLog } from './module-log.ts'

function opened(answers: (() => Promise<unknown>)[]) {
  const told: string[] = []
  const client = {
    setNotificationHandler: () => undefined,
    getServerCapabilities: () => ({ logging: {} }),
    getProtocolEra: () => 'legacy',
    setLoggingLevel: (level: string) => {
      told.push(level)
      return answers.shift()?.() ?? Promise.resolve()
    },
  } as unknown as Client
  const log = openModuleLog(client, {} as ModuleLink, 'plain', { warn: () => undefined } as unknown as HostLog)
  return { log, told }
}

test('a level that was not taken is told again, one that was is not', async () => {
  const { log, told } = opened([() => Promise.reject(new Error('busy'))])
  await log.level('debug')
  await log.level('debug')
  await log.level('debug')
  expect(told).toEqual(['debug', 'debug'])
})

test('what failed late does not undo what was chosen since', async () => {
  const late = Promise.withResolvers<void>()
  const { log, told } = opened([() => late.promise])
  const first = log.level('debug')
  await log.level('warning')
  late.reject(new Error('too late'))
  await first
  await log.level('warning')
  expect(told).toEqual(['debug', 'warning'])
})

test('none is told for no choice, and the same choice holds again after it', async () => {
  const { log, told } = opened([])
  for (const level of ['debug', null, 'debug'] as const) await log.level(level)
  expect(told).toEqual(['debug', 'debug'])
})
