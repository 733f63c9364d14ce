import { beforeEach, expect, test } from 'vitest'
import type { ActivityEvent } from '../../contract/chat.ts'
import { addRun, applyToRuns } from './run-cache.ts'
import { activeRunsQuery } from './queries.ts'
import { queryClient } from './query-client.ts'

const event = (type: ActivityEvent['type'], run_id = 'run_1'): ActivityEvent => ({
  id: 1,
  type,
  at: '2026-01-01T00:00:00Z',
  conversation_id: 'cnv_1',
  run_id,
})
const runs = (): readonly string[] =>
  queryClient.getQueryData(activeRunsQuery.queryKey)!.items.map(({ run_id, status }) => `${run_id} ${status}`)

beforeEach(() => {
  queryClient.clear()
  queryClient.setQueryData(activeRunsQuery.queryKey, { items: [] })
})

test('a run accepted from this tab is there at once, and only once', () => {
  addRun('cnv_1', 'run_1')
  addRun('cnv_1', 'run_1')
  expect(runs()).toEqual(['run_1 thinking'])
})

test('events change the status of a run and end it; other runs stay', () => {
  addRun('cnv_1', 'run_1')
  addRun('cnv_2', 'run_2')
  applyToRuns(event('tool.started'))
  expect(runs()).toEqual(['run_1 acting', 'run_2 thinking'])
  applyToRuns(event('run.waiting'))
  expect(runs()).toEqual(['run_1 waiting_approval', 'run_2 thinking'])
  applyToRuns(event('run.failed'))
  expect(runs()).toEqual(['run_2 thinking'])
})
