import { expect, test } from 'vitest'
import type { HostFigures, HostSummary } from '../../contract/host-figures.ts'
import { problemsOf, worstFirst } from './machine-rank.ts'

const WELL: HostFigures = {
  load: 0.5,
  cores: 4,
  memory: { used: 40, total: 100 },
  disk: { used: 40, total: 100, path: '/' },
  failed_services: 0,
  restart_pending: false,
  at: '2026-01-01T00:00:00Z',
}

function machine(name: string, more: Partial<HostSummary> = {}): HostSummary {
  return { host_id: name, name, disabled: false, state: 'ok', problem: null, figures: WELL, looking: false, ...more }
}

test('what cannot be reached comes first, then what is full, failed or busy, and at the end what is disabled', () => {
  const machines = [
    machine('off', { disabled: true, state: 'unreachable' }),
    machine('web-10'),
    machine('web-9'),
    machine('restart', { figures: { ...WELL, restart_pending: true } }),
    machine('failed', { figures: { ...WELL, failed_services: 2 } }),
    machine('full', { figures: { ...WELL, disk: { used: 95, total: 100, path: '/srv' } } }),
    machine('gone', { state: 'unreachable', figures: null }),
    machine('swapped', { state: 'key_changed' }),
    machine('new', { state: 'key_unknown', figures: null }),
  ]
  expect(worstFirst(machines).map(({ name }) => name)).toEqual([
    'swapped',
    'gone',
    'full',
    'failed',
    'new',
    'restart',
    'web-9',
    'web-10',
    'off',
  ])
})

test('a machine may have several problems, and what it does not tell is none', () => {
  const busy = { ...WELL, load: 9, memory: { used: 95, total: 100 }, failed_services: 1 }
  expect(problemsOf(machine('busy', { figures: busy }))).toEqual(['services', 'memory', 'load'])
  const silent = { ...WELL, load: null, cores: null, memory: null, disk: null, failed_services: null }
  expect(problemsOf(machine('silent', { figures: silent }))).toEqual([])
  expect(problemsOf(machine('fresh', { figures: null, state: null }))).toEqual([])
})
