import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import texts from '../../locales/en.json' with { type: 'json' }
import { AUDIT_ACTIONS } from './audit-actions.ts'

const SERVER = join(import.meta.dirname, '../../../server')

test('every action that the server records has its words, and can be chosen', () => {
  const sources = readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => readFileSync(join(SERVER, path), 'utf8'))
  // Written as `action: '<noun>.<verb>'`; the few that are assembled at run time are in the list as well.
  const recorded = sources.flatMap((source) =>
    [...source.matchAll(/\baction: '([a-z]+\.[a-z_]+)'/g)].map(([, action]) => action!),
  )
  expect(recorded.length).toBeGreaterThan(20)
  const known: readonly string[] = AUDIT_ACTIONS
  expect([...new Set(recorded)].filter((action) => !known.includes(action))).toEqual([])
  const labelled = new Set(Object.keys(texts))
  expect(known.filter((action) => !labelled.has(`audit.action_${action.replaceAll('.', '_')}`))).toEqual([])
})
